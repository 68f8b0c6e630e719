"""What it takes to train a model: FLOPs, days on so many devices, and how many tokens it asks for.

Source: Kaplan et al. 2020, section 2.1 (6ND); Hoffmann et al. 2022, table 3 (about 20 tokens a parameter);
Chowdhery et al. 2022, appendix B (model FLOPs utilisation).
"""

from __future__ import annotations

from symcount.counting import conventions
from symcount.derivation import Listing
from symcount.errors import ModelError
from symcount.given import amount
from symcount.polynomials import quotient
from symcount.readers.parameters import active_parameters, parameters
from symcount.readers.work import flops

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TOKENS_A_PARAMETER = 20  # Hoffmann et al. 2022, table 3: 20.2 for 400 million parameters, 20.0 for 67 billion, rounded
_DAY = 86_400  # seconds


def train(model: Any, tokens: Any, *, devices: Any = None, peak: Any = None, mfu: Any = None,
          convention: str = "matmul", phase: str = "train", **sizes: Any) -> Listing:
    """The cost of training on so many tokens, in sequences of s: exact FLOPs, 6ND, and with devices the days.

    `peak` is the FLOP/s of one device, `mfu` the share of it that is used, as 0.4 or "40%". Numbers are exact: ints,
    Fractions or texts such as "1e12". 6ND takes N = all parameters, or the active ones of a model with experts.

    >>> from symcount import model
    >>> listing = train(model("llama-7b", s=2048), "1e12", devices=2048, peak="312e12", mfu="50%")
    >>> [row[1] for row in listing.rows if row[0] == "6ND"]
    [40430493696000000000000]

    Raises ModelError where s is open, or where of devices, peak and mfu some are missing.
    """
    model = model.replace(**sizes) if sizes else model
    total = amount("tokens", tokens)
    step = flops(model, convention, phase)
    if step.open:
        raise ModelError(f"train: {' and '.join(step.open)} must have a value: say s, the tokens of a sequence")
    sequence = step.values["b"] * step.values.get("u", step.values["s"])
    N, active = parameters(model).total, active_parameters(model).total
    work, rule = step.total * total / sequence, 6 * active * total
    name = "active parameters" if active != N else "parameters"
    rows: list[tuple[Any, ...]] = [
        ("parameters", N, None), *([("active parameters", active, None)] if active != N else []),
        ("FLOPs", _exact(work), f"{_digits(work / rule)} × 6ND"),
        ("6ND", _exact(rule), f"N = {name}, D = {_digits(total)} tokens"),
    ]
    told = {"devices": devices, "peak": peak, "mfu": mfu}
    if missing := [option for option, given in told.items() if given is None]:
        if len(missing) < len(told):
            raise ModelError(f"train: days need devices, peak and mfu, so say {' and '.join(missing)} too")
    else:
        count, speed, share = (amount(option, given) for option, given in told.items())
        if share > 1:
            raise ModelError(f"train: mfu = {mfu} is more than all; it is a share, as 0.4 or 40%")
        seconds = work / (count * speed * share)
        rows += [("days", None, f"{_digits(seconds / _DAY)} on {_digits(count)} devices of {_digits(speed)} FLOP/s, "
                                f"of which {_digits(share * 100)} % is used"),
                 ("device-hours", None, _digits(seconds * count / 3600))]
    rows.append(("Chinchilla tokens", TOKENS_A_PARAMETER * N,
                 f"{TOKENS_A_PARAMETER} a parameter; {_digits(total / N)} are asked for"))
    return Listing(f"{model.title}: training on {_digits(total)} tokens", ("what", "number", "says"),
                   ("", "number", ""), tuple(rows), (), (f"phase {phase}", *conventions(step)))


def _exact(amount: Any) -> Any:
    return quotient(amount.numerator, amount.denominator)


def _digits(amount: Any) -> str:
    """Five digits, rounded half up, fewer where they are exact: 1.0602, 123,460, 4.0430e22.

    >>> from fractions import Fraction
    >>> _digits(Fraction(106021, 100000)), _digits(Fraction(10**12)), _digits(Fraction(1, 3))
    ('1.0602', '1e12', '0.33333')
    """
    from decimal import ROUND_HALF_UP, Context, Decimal

    if amount.denominator == 1 and amount < 10**6:
        return f"{int(amount):,}"
    top, bottom = Decimal(amount.numerator), Decimal(amount.denominator)
    found = Context(prec=5, rounding=ROUND_HALF_UP).divide(top, bottom)
    found = found.normalize() if found * bottom == top else found
    return f"{found:,f}" if -4 < found.adjusted() < 6 else f"{found:e}".replace("e+", "e")
