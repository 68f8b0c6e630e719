"""XLA's cost analysis of a scanned network: the body of a loop counts once, however often it runs.

Source: JAX 0.10.2, jax.jit(...).lower(...).compile().cost_analysis() of lax.scan over equal layers. It adds two
operations for the counter of the loop, which are elementwise and left out here.
"""

from symcount.conventions import Convention

CONVENTION = Convention(
    "jax_scan",
    runs="once",
    says="one run of what is repeated, full s·t scores, logits at every position, no elementwise work, no look-ups",
    leaves="a repeated part counts once, as the analysis does not know how often a loop runs; elementwise work, "
           "which it counts in ways that fusion changes, is left out",
    source="JAX 0.10.2, cost_analysis of lax.scan; measured 2026-11 on equal linear layers",
    backward=None,
)
