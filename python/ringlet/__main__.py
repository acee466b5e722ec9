# SPDX-License-Identifier: Apache-2.0
"""`python -m ringlet` is the command `ringlet`."""

from .cli import main

main()
