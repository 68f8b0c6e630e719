"""The kinds of operations that a network is made of, as data: what stands between products, and what products are.

Source: activation functions are named as in transformers, `ACT2FN`.
"""

from __future__ import annotations

# Functions of one number that stand between linear maps and have no weights, as transformers names them; those of the
# second line no tool of `conventions` was measured with
COMMON = ("gelu", "gelu_fast", "gelu_new", "gelu_python", "gelu_pytorch_tanh", "quick_gelu", "relu", "relu2", "relu6",
          "sigmoid", "silu", "tanh")
RARE = ("gelu_10", "gelu_accurate", "gelu_python_tanh", "hardswish", "laplace", "leaky_relu", "mish", "sqrtsoftplus")
ACTIVATIONS = COMMON + RARE


# Every other elementwise operation that a network is made of, and what it stands for
KINDS = {
    **{name: name.replace("_", " ") for name in ("add", "multiply", "subtract", "mean", "sum", "max", "exp", "softplus",
                                                 "group_norm", "batch_norm", "dropout", "zeros", "xielu")},
    "bias": "the bias of a linear map, added",
    "softmax": "a softmax, of scores or where no router ranks it",
    "layer_norm": "a LayerNorm, its gain and shift within",
    "rms_norm": "an RMSNorm, its gain within",
    "choose": "the row of a table that has the largest score",
    "deviation": "the standard deviation of what is summed over",
    "glu": "one half times the sigmoid of the other",
    "weight_norm": "weights brought to length 1, times a gain",
    "asinh": "the inverse hyperbolic sine of a multiple",
    "attention_scale": "scores times 1/√k",
    "adapt": "the means of as many parts of an image as are wanted",
    "affine": "x·scale + base",
    "band": "the scores of a window, out of those of all blocks",
    "decay": "a power of a rate of decay",
    "decayed_product": "a product of rows, each of whose channels decays by itself",
    "fourier": "the real part of a Fourier transform over tokens and channels, which is no product of matrices",
    "gather": "of each pair, the score of its distance, added",
    "hash_collisions": "(1 - arccos(cosine)/π)^bits",
    "last": "the row of the last token",
    "mix": "a sum with weights",
    "normalise": "to length 1",
    "place": "vectors of images, in the rows of the words that stand for them",
    "pick": "rows, or scores of rows, picked out of all by their numbers, or these numbers",
    "pool": "the mean or maximum of what a window covers",
    "relative": "the score of a distance, added",
    "resize": "a table of positions, resized to an image and added",
    "response_norm": "each channel by its length over the image, relative to the mean",
    "rotary": "pairs of numbers turned by an angle",
    "partial_rotary": "some of a head's numbers turned",
    "scale": "a row of values times λ, itself of exponentials",
    "scan": "all steps of a recurrence",
    "sines": "the sine and the cosine of each number",
    "sinusoids": "a computed table, added",
    "skip": "the input of a scan times a weight, added",
    "solve": "a triangular system solved, row after row",
    "swiglu": "clipped, then g·σ(1.702g)",
    "token_shift": "a mean with the row before",
}
# Names of `readers.roles.operation` for some of these, by what stands around them, and for look-ups
NAMED = {
    "activation": "each function between linear maps that has no rate of its own",
    "gate": "a product with an activation function",
    "routing": "the softmax of a router",
    "position": "the sum with a learned table of positions",
    "embedding": "a look-up in a table of words",
    "lookup": "a look-up in another table",
    "norm bias": "the shift of a norm, where it is rated apart",
    "kernel bias": "the bias of a convolution; as bias unless it has a rate of its own",
    "conv1d bias": "the bias of a Conv1D of transformers (GPT-2); as bias unless it has a rate of its own",
    "shift": "a bias that is added to no product",
}
OPERATIONS = {**KINDS, **dict.fromkeys(ACTIVATIONS, "a function between linear maps"), **NAMED}


# What a product can be, after "weight" or "activation"; see `readers.roles.products`
ROLES = ("attention", "scores", "mix", "router", "experts", "logits", "kernel", "linear", "state", "biased", "conv1d")


def activates(kind: str) -> bool:
    """Whether a kind of elementwise operation is an activation: a known one, or what a key says that names another.

    >>> activates("silu"), activates('hidden_act = "snake"'), activates("softmax")
    (True, True, False)
    """
    return kind in ACTIVATIONS or "=" in kind
