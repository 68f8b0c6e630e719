"""The checks of `symcount check`, one file each."""
