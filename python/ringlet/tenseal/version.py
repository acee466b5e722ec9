# SPDX-License-Identifier: Apache-2.0
"""The version of TenSEAL whose interface this is."""

__version__ = "0.3.18"
