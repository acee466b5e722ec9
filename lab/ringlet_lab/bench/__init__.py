# SPDX-License-Identifier: Apache-2.0
"""The benchmarks of `ringlet bench`.

Of a benchmark NAME, `NAME` measures, `NAME_report` checks the options, prints the tables and writes
the JSON, `NAME_picture` draws, `NAME_goals` judges, `NAME_quoted` has the figures of others, and
`NAME_peer` or `NAME_peers` runs other libraries. `ntt` is one file; `ntt_*` belong to
`ringlet bench ntt --figures`. They share `kernels`, `timing`, `checks` of options and `output`.
"""
