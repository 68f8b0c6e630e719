"""Property tests are not judged by how busy the machine is; live tests share one transformers."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


@pytest.fixture(scope="module")
def hub():
    """transformers, changed so that nothing looks at values, which tensors on the meta device have not."""
    pytest.importorskip("torch", reason="the live tests build models in torch, which the extra 'live' installs")
    transformers = pytest.importorskip("transformers", reason="the live tests need the extra 'live'")
    from transformers import masking_utils

    with pytest.MonkeyPatch.context() as patch:
        # Several texts packed into one row are found by their positions. There are none here.
        patch.setattr(masking_utils, "find_packed_sequence_indices", lambda position_ids: None)
        # Only a warning, about texts that were filled up to one length.
        patch.setattr(transformers.PreTrainedModel, "warn_if_padding_and_no_attention_mask", lambda *_, **__: None)
        yield transformers
