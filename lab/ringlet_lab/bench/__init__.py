# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of `ringlet bench`.

A benchmark NAME has these parts: `NAME` measures, `NAME_report` checks the options, prints the
tables and writes the JSON, `NAME_picture` draws, and `NAME_goals` compares with goals.
`NAME_quoted` has figures of other publications, and `NAME_peer` or `NAME_peers` runs other
libraries. `ntt` is one file; `ntt_*` belong to `ringlet bench ntt --figures`. All benchmarks share
`kernels`, `timing`, `checks` of options and `output`.
"""
