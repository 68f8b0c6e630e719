"""Real models: how transformers builds one of a configuration, and what it is run on."""

from __future__ import annotations

import warnings

import agreement

BINS_FIRST = ("whisper", "qwen2_audio_encoder", "voxtral_encoder")
# How many numbers a frame of a spectrogram has
WIDTHS = ("num_mel_bins", "feature_projection_input_dim", "input_feat_per_channel")


def built(hub, cls, config, device="meta"):
    """The model, without values; or on the CPU with some."""
    import torch

    warnings.filterwarnings("ignore", message="Initializing zero-element tensors")  # no layers of one kind
    choices = {"attn_implementation": "eager", "dtype": torch.float32}
    for more in ({"experts_implementation": "batched_mm"}, {}):  # products of all experts' rows, which torch can count
        try:
            with torch.device(device):
                return getattr(hub, cls)._from_config(config, **choices, **more).eval()
        except (TypeError, ValueError, AttributeError) as error:
            last = error
    raise last


def inputs(network, sizes):
    """Token ids, and what else a class wants, for these sizes, where the network is."""
    import torch

    config, device = network.config, network.device

    def ids(n):
        return torch.full((sizes["b"], n), 7, dtype=torch.long, device=device)  # no token that means something

    given = {}
    if "frames" in sizes:
        told = getattr(config, "encoder_config", config)
        bins = next((getattr(told, key) for key in WIDTHS if hasattr(told, key)), 80)
        bins *= 4 if told.model_type.startswith("granite_speech5") else 1  # with differences, two frames as one
        shape = (bins, sizes["frames"]) if config.model_type in BINS_FIRST else (sizes["frames"], bins)
        given[network.main_input_name] = torch.zeros((sizes["b"], *shape), device=device)
    elif "samples" in sizes:
        given["input_values"] = torch.zeros((sizes["b"], sizes["samples"]), device=device)
    elif "s" in sizes:
        given["input_ids"] = ids(sizes["s"])
        if "ForSequenceClassification" in type(network).__name__ and getattr(config, "is_encoder_decoder", False):
            given["input_ids"][:, -1] = config.eos_token_id
    if "side" in sizes:
        channels = getattr(getattr(config, "vision_config", config), "num_channels", 3)
        given["pixel_values"] = torch.zeros((sizes["b"], channels, sizes["side"], sizes["side"]), device=device)
    if getattr(config, "is_encoder_decoder", False):
        given["decoder_input_ids"] = ids(sizes.get("u", sizes.get("s", agreement.TARGET)))
    return given | ({"use_cache": False} if hasattr(config, "use_cache") else {})
