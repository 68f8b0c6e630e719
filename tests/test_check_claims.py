"""Claims as people make them, each put as one short text: what symcount says of it is what is so.

    python tests/test_check_claims.py        those that it judges otherwise, and how many agree
"""

from __future__ import annotations

from collections import Counter

import pytest

import corpus

CLAIMS = corpus.claims()
PUT = [claim for claim in CLAIMS if claim.could]
VERDICTS = {"right", "wrong", "approx", "convention"}


# ---------------------------------------------------------------- the answers, before anything is checked with them

def test_claims_are_complete():
    assert [claim.id for claim in CLAIMS] == [f"c{number:03}" for number in range(1, 192)]
    assert len({claim.text for claim in PUT}) == len(PUT) >= 170
    assert all(claim.verdict in VERDICTS and claim.also in VERDICTS | {None} for claim in PUT)
    assert all(claim.why.startswith("needs ") and claim.text is None for claim in CLAIMS if not claim.could)


@pytest.mark.parametrize("claim", [claim for claim in PUT if claim.expr], ids=lambda claim: claim.id)
def test_answers_are_true(claim):
    true = corpus.exact(claim.expr)
    assert true == corpus.exact(claim.expected)
    assert claim.printed in claim.text
    if claim.also is None and claim.verdict in ("right", "wrong"):
        assert corpus.holds(claim.printed, true) == (claim.verdict == "right")


@pytest.mark.parametrize("claim", [claim for claim in PUT if claim.model], ids=lambda claim: claim.id)
def test_models_of_claims_are_known(claim):
    from symcount import model

    assert model(claim.model).values is not None


# ---------------------------------------------------------------- what is said of them

def judged(claim: corpus.Claim) -> tuple[str, list]:
    """(verdict, findings): "skipped" where nothing was judged."""
    from symcount.lint import inspect

    findings = inspect(claim.text, model=claim.model)
    word = corpus.verdict(findings)
    return {"carried": "wrong", "external": "skipped"}.get(word, word), findings


def agrees(claim: corpus.Claim) -> bool:
    """The verdict, and where something is wrong the exact value; a figure that its digits allow may pass in silence."""
    said, findings = judged(claim)
    silent = claim.verdict == "approx" and claim.expr and corpus.holds(claim.printed, corpus.exact(claim.expr))
    if said == "right" and silent:
        return True
    if said == "wrong" == claim.verdict and claim.expected is not None:
        return any(found.expected == corpus.exact(claim.expected) for found in findings)
    return said in (claim.verdict, claim.also)


@pytest.mark.parametrize("claim", PUT, ids=lambda claim: claim.id)
def test_verdicts_agree(claim):
    assert agrees(claim) == (claim.otherwise is None), (claim.text, judged(claim))


def test_what_is_judged_otherwise_is_mostly_not_judged():
    """Of the claims that are not judged as they should be, most are not read; the others say less than there is."""
    said = Counter(judged(claim)[0] for claim in PUT if claim.otherwise)
    assert said["wrong"] == 0
    assert sum(claim.otherwise is None for claim in PUT) == 171


if __name__ == "__main__":
    table: Counter[tuple[str, bool]] = Counter()
    for each in PUT:
        table[each.verdict, agrees(each)] += 1
        if not agrees(each):
            told, listed = judged(each)
            values = [str(found.expected) for found in listed if found.severity in ("error", "carried", "note")]
            print(f"{each.id} {each.verdict} ({each.expected}), said to be {told} ({', '.join(values)}): {each.text}")
    for kind in sorted(VERDICTS):
        print(f"{kind:12}{table[kind, True]:4} of {table[kind, True] + table[kind, False]}")
    print(f"{sum(table[kind, True] for kind in VERDICTS)} of {len(PUT)} agree;",
          f"{len(CLAIMS) - len(PUT)} of {len(CLAIMS)} cannot be put as a text:")
    print("\n".join(f"  {each.id} {each.why}" for each in CLAIMS if not each.could))
