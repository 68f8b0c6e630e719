"""What tools count beside the operations of a network, or in their place.

Source: the files of the tools, each named in its own convention.
"""

from __future__ import annotations

from symcount.errors import ModelError
from symcount.ledger import Term
from symcount.network import walk
from symcount.scopes import repeats
from symcount.sizes import is_one, least, per

TYPE_CHECKING = False
if TYPE_CHECKING:
    from symcount.polynomials import Size
    from symcount.readers import Network
    from symcount.tensors import Tensor

# The heads of classes, but for words: a tool that is told sizes, and no class, has no term for them
HEADS = {"classifier": 0, "answers": 0}
ENCODER_HEADS = {**HEADS, "pooler": 0, "pre_classifier": 0, "transform": 0, "next_sentence": 0}


def words(net: Network) -> tuple[tuple[Size, ...], Size, Size]:
    """The sizes b and s of the tokens that are looked up in the word table, and its V and d.

    Raises ModelError where no words are looked up.
    """
    for x in walk(net):
        if x.verb == "lookup" and x.details["indexed"] == "V":
            ids, table = x.inputs
            (d,) = (size for axis, size in table.axes.items() if axis != "V")
            return tuple(ids.axes.values()), table.axes["V"], d
    raise ModelError("this convention is of models of text, and this network looks up no words")


def head(net: Network) -> list[Term]:
    """Logits at every position, 2·b·s·d·V, where the class has none; where it has, nothing."""
    tokens, V, d = words(net)
    if any(x.verb == "contract" and "V" in x.axes for x in walk(net)):
        return []
    return [Term("head", (2, *tokens, d, V), (), ("weight", "logits"))]


def decoder_head(net: Network) -> list[Term]:
    """The same of a decoder, which is a network with a causal mask; an encoder has none."""
    masks = (x.details["mask"] for x in walk(net) if x.verb == "contract")
    return head(net) if any(mask is not None and mask.causal for mask in masks) else []


def table_of(x: Tensor) -> Tensor | None:
    """The table that is an operand of a product, as where the output matrix is the word table; None where none is."""
    for y in map(_made, x.inputs):
        if y.verb == "weight" and "embedding" in y.details["kinds"]:
            return y
    return None


def _made(x: Tensor) -> Tensor:
    """Where a tensor was made, seen through the scopes that it left."""
    while x.verb in ("enter", "leave", "rename"):
        x = x.inputs[0]
    return x


def traced(net: Network) -> list[Term]:
    """What a traced graph of transformers multiplies where a network has no operation.

    The mean of an RMSNorm, one number a token. With rotary positions, once for all texts of a batch, s·k/2 angles, and
    their sines and cosines times a scale, 2·s·k; and where kv heads are repeated for others, two products of sizes.
    """
    turned = [x for x in walk(net) if x.verb == "pointwise" and x.details["kind"] == "rotary"]
    terms = []
    for x in walk(net):
        if x.verb == "pointwise" and x.details["kind"] == "rms_norm":
            if len(x.inputs) < 2:
                raise ModelError(f"{x.path}: what is counted of an RMSNorm without a gain is not written")
            tokens = tuple(size for axis, size in x.axes.items() if axis not in x.inputs[1].axes)
            terms.append(Term(f"{x.path}.mean", tokens, repeats(x.scope), ("elementwise", "mean")))
        elif x.verb == "contract" and turned and {"q", "t"} <= x.axes.keys():
            q = x.axes["q"]
            if not is_one(q):
                terms.append(Term(f"{x.path}.sizes", (2, least(q - 1, 1)), repeats(x.scope)))
    if turned:
        s, k = turned[0].axes["s"], turned[0].axes["k"]
        terms += [Term("positions.angles", (s, per(k, 2))), Term("positions.scale", (2, s, k))]
    return terms
