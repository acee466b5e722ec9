# SPDX-License-Identifier: Apache-2.0
"""`ringlet demo`: tumours classified under encryption.

data.py holds the data and the model, server.py what the server computes, client.py what only the
owner of the data can do, report.py what is printed and drawn.
"""

from .run import run_demo

__all__ = ["run_demo"]
