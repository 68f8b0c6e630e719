"""Real models: how transformers builds one of a configuration, and what it is run on."""

from __future__ import annotations

import inspect
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


def streams(config):
    """How many ids a step is of, where it is of one for each codebook (and a word)."""
    return {"csm": getattr(config, "num_codebooks", 0), "kyutai_speech_to_text": getattr(config, "num_codebooks", 0) + 1
            }.get(config.model_type)


def inputs(network, sizes):
    """Token ids, and what else a class wants, for these sizes, where the network is."""
    import torch

    config, device = network.config, network.device

    def ids(n, *more, rows=1):
        return torch.full((sizes["b"]*rows, n, *more), 7, dtype=torch.long, device=device)  # no token that means much

    if type(network).__name__ == "DecisionTransformerModel":  # what it sees, does and gets, not words
        told = {"states": config.state_dim, "actions": config.act_dim, "returns_to_go": 1}
        return {name: torch.zeros((sizes["b"], sizes["s"], width), device=device) for name, width in told.items()} | {
            "timesteps": ids(sizes["s"]), "attention_mask": torch.ones((sizes["b"], sizes["s"]), device=device)}
    if config.model_type == "qwen2_5_omni_talker":  # the rows of its thinker
        return {"inputs_embeds": torch.zeros((sizes["b"], sizes["s"], config.embedding_size), device=device),
                "use_cache": False}
    if streams(config):
        return {"input_ids": ids(sizes["s"], streams(config)) // 4, "use_cache": False}  # codebooks may be small
    if config.model_type in ("musicgen_decoder", "musicgen_melody_decoder"):  # codebooks stand among the batch
        return {"input_ids": ids(sizes["s"], rows=config.num_codebooks), "use_cache": False}

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
        if "ForMultipleChoice" in type(network).__name__:  # one choice of each
            given["input_ids"] = given["input_ids"][:, None]
        if "bbox" in inspect.signature(network.forward).parameters:  # where each token is on a page
            given["bbox"] = torch.zeros((sizes["b"], sizes["s"], 4), dtype=torch.long, device=device)
    if "side" in sizes:
        given |= pixels(network, sizes)
    if getattr(config, "is_encoder_decoder", False):
        given["decoder_input_ids"] = ids(sizes.get("u", sizes.get("s", agreement.TARGET)))
    return given | ({"use_cache": False} if hasattr(config, "use_cache") else {})


def pixels(network, sizes):
    """Images; for the models of videos as many frames as the configuration says; for SigLIP 2 their patches."""
    import torch

    config, device, b, side = network.config, network.device, sizes["b"], sizes["side"]
    tower = getattr(config, "vision_config", config)
    c = getattr(tower, "num_channels", getattr(tower, "in_chans", 3))
    if config.model_type.startswith("siglip2"):
        n = side // tower.patch_size
        return {"pixel_values": torch.zeros((b, n * n, c * tower.patch_size**2), device=device),
                "pixel_attention_mask": torch.ones((b, n * n), dtype=torch.long, device=device),
                "spatial_shapes": torch.tensor([[n, n]] * b)}  # read one by one
    frames = getattr(config, "num_frames", getattr(config, "frames_per_clip", None))
    shape = (b, c, side, side) if frames is None else (b, frames, c, side, side)
    return {network.main_input_name if frames else "pixel_values": torch.zeros(shape, device=device)}
