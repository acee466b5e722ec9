# SPDX-License-Identifier: Apache-2.0
"""The subcommands of `ringlet`, one module each: options here, what they do in the modules that
they import when they are called. The command line and its help are then there at once."""
