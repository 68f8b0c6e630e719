"""GIT, reading text: BERT's blocks, of which a token meets those before it; a CLIP tower is stored and never runs.

Source: Wang et al. 2022, "GIT: a generative image-to-text transformer", section 3.1.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.hub import measured
from symcount.hub.encoders import BERT_NAMES, encoder_keys
from symcount.hub.images import CLIP_NAMES, TOWER_NOTES, vision_keys
from symcount.layers import linear, post_norm
from symcount.layers.encoder import encoder, untyped
from symcount.layers.idle import idle_block, idle_map, idle_norm
from symcount.masks import Mask
from symcount.network import idle, weight, within
from symcount.sizes import per
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def block(x: Tensor, z: Any) -> Tensor:
    """4d² + 2dh + 9d + h parameters."""
    return post_norm(x, z, Mask(causal=True))


def tower(x: Tensor, z: Any) -> Tensor:
    """CLIP's ViT, with a last norm of all its tokens, and a map and a norm to the width of the text."""
    d, rows = z.d_img, per(z.side, z.patch)
    x = within("layers", lambda y: idle(y, *idle_block(d=d, h=z.h_img)), x, runs=z.L_img)
    return idle(x, weight("embeddings.cls", kinds="embedding", d=d),
                *idle_map("embeddings.patch", {"c": z.c, "i": z.patch, "j": z.patch}, {"d": d}, bias=False),
                weight("embeddings.position.weight", kinds="embedding", P=rows * rows + 1, d=d),
                *idle_norm("first_norm", shift=True, d=d), *idle_norm("norm", shift=True, d=d),
                *idle_map("project", {"d": d}, {"o": z.d}, bias=True),
                *(weight(f"projected.{name}", d=z.d) for name in ("weight", "bias")))  # a norm of what never comes


def body(z: Any) -> tuple[Tensor, Tensor]:
    """The last hidden states and the word table, beside the tower."""
    x, word = encoder(untyped, block, inputs="ids", masked=False)(z)
    return within("image", tower, x, z=z), word


def causal_lm(z: Any) -> Tensor:
    """Logits over the vocabulary at every position: V parameters; untied, dV more."""
    x, word = body(z)
    return linear(x, "head", w=word if z.tied else None, V=z.V)


_IMAGE = {key: told for key, told in vision_keys(side=224, patch=16, d=768, h=3072, L=12, heads=12).items()
          if key not in ("num_labels", "num_attention_heads")}
_OWN = {"d": "d_img", "h": "h_img", "L": "L_img"}
_AT = "image_encoder.vision_model"

ARCHITECTURES = (Architecture(
    "git",
    classes={"GitModel": lambda z: body(z)[0], "GitForCausalLM": causal_lm},
    keys={
        **{key: told for key, told in encoder_keys(V=30522, P=1024, d=768, h=3072, L=6, heads=12, decoder=False,
                                                   tied=False).items() if key != "num_labels"},
        **{f"vision_config.{key}": (_OWN.get(size, size), default) for key, (size, default) in _IMAGE.items()},
    },
    only={
        "vision_config": ((None,), "a table is needed"),
        "vision_config.model_type": (("git_vision_model",), "the tower of another family"),
        "num_image_with_embedding": ((None,), "the rows that tell images of a video apart are not written"),
    },
    ignored={
        **{key: why for key, why in TOWER_NOTES.items() if key.startswith("vision_config.")},
        "vision_config.num_attention_heads": "how a width is cut into heads",
        "vision_config.projection_dim": "read by nothing",
    },
    stored={
        **BERT_NAMES,
        **{f"image.{ours}": f"{_AT}.{theirs}" for ours, theirs in CLIP_NAMES.items()},
        "image.embeddings.cls": f"{_AT}.embeddings.class_embedding",
        "image.embeddings.patch": (f"{_AT}.embeddings.patch_embedding", "d_img c patch patch"),
        "image.embeddings.position": f"{_AT}.embeddings.position_embedding",
        "image.first_norm": f"{_AT}.pre_layrnorm",
        "image.norm": f"{_AT}.post_layernorm",
        "image.project": "visual_projection.visual_projection.0",
        "image.projected": "visual_projection.visual_projection.1",
    },
    stored_heads={"head": "output"},
    base="git",
    published={
        "git-base": measured("GitForCausalLM", 176_619_066, V=30522, P=1024, d=768, h=3072, L=6, heads=12, d_img=768,
                             h_img=3072, L_img=12, c=3, side=224, patch=16),
    },
),)
