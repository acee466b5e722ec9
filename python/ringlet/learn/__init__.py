# SPDX-License-Identifier: Apache-2.0
"""Encrypted inference for fitted models of scikit-learn.

`compile` reads a fitted model and returns a `Model`. Its client encrypts rows of a table, its
server computes their scores without decrypting, and the client applies argmax, sigmoid or softmax
to the decrypted scores. scikit-learn is not imported.
"""

from .client import Client, EncryptedRows, Server
from .model import Model, compile

__all__ = ["Client", "EncryptedRows", "Model", "Server", "compile"]
