# SPDX-License-Identifier: Apache-2.0
"""The subcommands of `ringlet`, one module each. These modules hold the options only; each imports
its implementation when the command is called. This makes the command line and its help start fast.
"""
