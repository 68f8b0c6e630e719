"""`python -m symcount`."""

import sys

from symcount.cli import main

if __name__ == "__main__":
    sys.exit(main())
