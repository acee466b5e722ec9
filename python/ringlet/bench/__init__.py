# SPDX-License-Identifier: Apache-2.0
"""What `ringlet bench` measures: each benchmark with its goals, tables and pictures."""
