"""What it takes to train a model: FLOPs, days on so many devices, and how many tokens it asks for.

Source: Kaplan et al. 2020, section 2.1 (6ND); Hoffmann et al. 2022, table 3 (about 20 tokens a parameter);
Chowdhery et al. 2022, appendix B (model FLOPs utilisation).
"""

from __future__ import annotations

from symcount.counting import conventions
from symcount.derivation import Listing, Rounded
from symcount.errors import ModelError, nearest
from symcount.given import amount
from symcount.network import walk
from symcount.polynomials import quotient
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.phases import tokens_of
from symcount.readers.work import flops
from symcount.render import exact, significant
from symcount.sizes import letters
from symcount.tensors import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOKENS_A_PARAMETER = 20  # Hoffmann et al. 2022, table 3: from 20.0 to 22.4, by the number of parameters
_TRAINING = ["train", "recompute", "selective", "flash"]
_DAY = 86_400  # seconds


def train(model: Any, tokens: Any, *, devices: Any = None, peak: Any = None, mfu: Any = None,
          convention: Any = "matmul", phase: str = "train", **sizes: Any) -> Listing:
    """The cost of training on so many tokens, in sequences of s: exact FLOPs, 6ND, and with devices the days.

    `peak` is the FLOP/s of one device, `mfu` the share of it that is used, as "40%". Numbers are exact: ints, Fractions
    or texts such as "1e12". 6ND takes for N all parameters, or the active ones of a model with experts.

    >>> from symcount import model
    >>> listing = train(model("llama-7b", s=2048), "1e12", devices=2048, peak="312e12", mfu="50%")
    >>> [row[1] for row in listing.rows if row[0] == "6ND"]
    [40430493696000000000000]

    Raises ModelError where s is open, or where of devices, peak and mfu some are missing.
    """
    from fractions import Fraction  # exact, however large

    model = model.replace(**sizes) if sizes else model
    total = Fraction(amount("tokens", tokens))
    if phase not in _TRAINING:
        raise ModelError(f"train: the phase {phase} is no training; {nearest(str(phase), _TRAINING)}")
    inputs = [x for x in walk(model.network()) if x.verb == "input"]
    if any("s" not in x.axes or "s" not in letters(x.axes["s"]) for x in inputs) or tokens_of(model) != "s":
        raise ModelError(f"train: tokens are those of one text of s tokens, and {model.title} reads {listed(inputs)}")
    step = flops(model, convention, phase)
    if step.open:
        raise ModelError(f"train: {' and '.join(step.open)} must have a value: say s, the tokens of a sequence")
    if step.unit != "FLOP":
        raise ModelError(f"train: {step.convention} counts no FLOPs, but {step.unit}s")
    sequence = step.values["b"] * step.values["s"]
    N, active = parameters(model).total, active_parameters(model).total
    work, rule = step.total * total / sequence, 6 * active * total
    of = "active parameters" if active != N else "parameters"
    rows: list[tuple[Any, ...]] = [("parameters", N, None)]
    if active != N:
        rows.append(("active parameters", active, None))
    rows += [("FLOPs", _exactly(work), f"{significant(work / rule, 5)} × 6ND"),
             ("6ND", _exactly(rule), f"N = {of}, D = tokens")]
    told = {"devices": devices, "peak": peak, "mfu": mfu}
    missing = [option for option, given in told.items() if given is None]
    if not missing:
        count, speed, share = (Fraction(amount(option, given)) for option, given in told.items())
        if share > 1:
            raise ModelError(f"train: mfu = {mfu} is more than all of the peak; it is a share, as 0.4 or 40%")
        days = work / (count * speed * share * _DAY)
        rows.append(("days", Rounded(_exactly(days), significant(days)),
                     f"{exact(count)} devices of {exact(speed)} FLOP/s, of which {significant(100 * share)} % is used"))
    elif len(missing) < len(told):
        raise ModelError(f"train: days need devices, peak and mfu, so say {' and '.join(missing)} too")
    rows.append(("Chinchilla tokens", TOKENS_A_PARAMETER * N,
                 f"{TOKENS_A_PARAMETER} a parameter; here it is {significant(total / N)}"))
    return Listing(f"{model.title}: training on {exact(total)} tokens", ("what", "number", "says"), ("", "number", ""),
                   tuple(rows), (), conventions(step))


def _exactly(number: Any) -> Any:
    """An int where it is whole."""
    return quotient(number.numerator, number.denominator)
