# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of Ringlet and reproductions of papers: `ringlet bench` and `ringlet report`.

The extension `_lab` has its own copy of the C++ library, with loops that time it. Its functions
take numbers and names, not objects of `ringlet`.
"""
