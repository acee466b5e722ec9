# SPDX-License-Identifier: Apache-2.0
"""`ringlet demo`: tumours classified under encryption.

data.py has the data and the model. server.py has the computation of the server, client.py has what
only the owner of the data can do. report.py prints the result, picture.py draws it.
"""

from .run import run_demo

__all__ = ["run_demo"]
