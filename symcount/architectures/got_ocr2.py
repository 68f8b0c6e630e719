"""GOT-OCR 2: the tower of SAM for images, which three convolutions narrow, beside a Qwen2.

Source: Wei et al. 2024, "General OCR theory", section 3.2; the tower: Kirillov et al. 2023, "Segment anything",
appendix A.
"""

from __future__ import annotations

from symcount.architecture import Architecture
from symcount.architectures import family
from symcount.hub import measured
from symcount.hub.images import vision_keys
from symcount.hub.multimodal import Part, seeing
from symcount.hub.settling import listed
from symcount.layers import linear, mlp, norm, residual
from symcount.layers.convolution import conv2d
from symcount.layers.grid_attention import grid_attention, in_grid_windows
from symcount.layers.vision import image
from symcount.network import merge, pointwise, rename, weight, within
from symcount.sizes import rest
from symcount.tensors import Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def embedded(z: Any) -> Tensor:
    """Patches, and a table of a position for each: c·d·patch² + d parameters, and d for each patch."""
    x = rename(conv2d(image(z), "patch", w=z.patch, c=z.d, stride=z.patch), c="d")
    if not z.positions:
        return x
    table = weight("position", kinds="embedding", i=x.axes["i"], j=x.axes["j"], d=z.d)
    return pointwise(x, table, kind="add", name="position")


def attended(x: Tensor, z: Any) -> Tensor:
    """4d² + 4d parameters, and those of the tables of distances."""
    return within("attention", grid_attention, x, heads=z.heads, bias=z.qkv_bias, relative=z.relative)


def block(x: Tensor, z: Any) -> Tensor:
    """The block of a ViT: 4d² + 2dh + 9d + h parameters, and those of the tables of distances."""
    x = residual(x, attended(norm(x, "attention_norm"), z))
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def windowed(x: Tensor, z: Any) -> Tensor:
    """The same, whose patches see those of their window alone."""
    y = in_grid_windows(norm(x, "attention_norm"), z.w, lambda y: attended(y, z))
    x = residual(x, y)
    return residual(x, within("mlp", mlp, norm(x, "mlp_norm"), h=z.h))


def neck(x: Tensor, z: Any) -> Tensor:
    """Two convolutions to m channels, a norm after each: dm + 9m² + 4m parameters."""
    y = norm(conv2d(rename(x, d="c"), "narrow", w=1, c=z.m, bias=False), "narrow_norm", over="c")
    return norm(conv2d(y, "conv", w=3, c=z.m, pad=1, bias=False), "norm", over="c")


def tower(z: Any) -> Tensor:
    """L blocks, of which L_global see the whole image, and the neck."""
    x = within("embeddings", embedded, z=z)
    x = within("layers.local", windowed, x, z=z, runs=rest(z.L, z.L_global))
    x = within("layers.global", block, x, z=z, runs=z.L_global)
    return within("neck", neck, x, z=z)


def projector(x: Tensor, z: Any) -> Tensor:
    """Two convolutions that halve the side, and a map: 18·m_img² + 18d·m_img + d² + d parameters."""
    x = conv2d(x, "conv_1", w=3, c=2 * z.m_img, stride=2, pad=1, bias=False)
    x = conv2d(x, "conv_2", w=3, c=z.d, stride=2, pad=1, bias=False)
    return linear(rename(merge(x, s="i j"), c="d"), "output", d=z.d)


def project(x: Tensor, z: Any) -> Tensor:
    """A quarter of the side of the grid, in the width of the text."""
    return within("projector", projector, x, z=z)


def global_layers(config: dict[str, Any]) -> dict[str, Any]:
    """How many layers see the whole image."""
    return {"L_global": listed(config, "global_attn_indexes", config["num_hidden_layers"])}


_KEYS = {key: told for key, told in vision_keys(side=1024, patch=16, d=768, h=None, L=12, heads=12).items()
         if key != "num_labels"}
_SAM = Architecture(
    "got_ocr2_vision",
    classes={"GotOcr2VisionEncoder": tower},
    sizes="L_global",
    keys={
        **_KEYS,
        "mlp_dim": ("h", 3072),
        "output_channels": ("m", 256),
        "window_size": ("w", 14),
        "qkv_bias": ("qkv_bias", True),
        "use_abs_pos": ("positions", True),
        "use_rel_pos": ("relative", True),
    },
    reads={"global_attn_indexes": [2, 5, 8, 11]},
    settle=global_layers,
    acts={"hidden_act": ("gelu", "layers")},
    stored={
        "embeddings.patch": "patch_embed.projection",
        "embeddings.position": ("pos_embed", "1 *"),
        "layers.attention_norm": "layers.{i}.layer_norm1",
        **{tuple(f"layers.attention.{one}.{leaf}" for one in ("query", "key", "value")): f"layers.{{i}}.attn.qkv.{leaf}"
           for leaf in ("weight", "bias")},
        "layers.attention.output": "layers.{i}.attn.proj",
        "layers.attention.rows": "layers.{i}.attn.rel_pos_h",
        "layers.attention.columns": "layers.{i}.attn.rel_pos_w",
        "layers.mlp_norm": "layers.{i}.layer_norm2",
        "layers.mlp.up": "layers.{i}.mlp.lin1",
        "layers.mlp.down": "layers.{i}.mlp.lin2",
        "neck.narrow": "neck.conv1",
        "neck.narrow_norm": "neck.layer_norm1",
        "neck.conv": "neck.conv2",
        "neck.norm": "neck.layer_norm2",
    },
)
ARCHITECTURES = (seeing(
    "got_ocr2", family,
    Part({"qwen2": "qwen2"}, "language_model", {
        "vocab_size": 151860, "hidden_size": 1024, "intermediate_size": 2816, "num_hidden_layers": 24,
        "num_attention_heads": 16, "num_key_value_heads": 16}),
    Part({"got_ocr2_vision": _SAM}, "vision_tower"),
    project=project,
    classes={"GotOcr2Model": False, "GotOcr2ForConditionalGeneration": True},
    ties={"tie_word_embeddings": True},
    stored={
        "projector.conv_1": "multi_modal_projector.conv_upsampler1",
        "projector.conv_2": "multi_modal_projector.conv_upsampler2",
        "projector.output": "multi_modal_projector.multimodal_projector",
    },
    ignored={
        "image_token_index": "the number of a word",
        "image_token_id": "the number of a word",
        "image_seq_length": "how many words an image takes",
    },
    published={
        "got-ocr2": measured("GotOcr2ForConditionalGeneration", 560_528_640, V=151860, d=1024, h=2816, L=24, heads=16,
                             kv=16, k=64, d_img=768, h_img=3072, L_img=12, L_global_img=4, heads_img=12, m_img=256,
                             w_img=14, c=3, side=1024, patch=16, tied=True),
    },
), _SAM)
