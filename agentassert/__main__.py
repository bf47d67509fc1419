"""`python -m agentassert`, the same program as `agentassert`."""

import sys

from agentassert.cli import main

if __name__ == "__main__":
    sys.exit(main())
