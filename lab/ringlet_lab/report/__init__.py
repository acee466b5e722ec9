# SPDX-License-Identifier: Apache-2.0
"""`ringlet report`: benchmarks of this machine as one page that needs no other file."""
