#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Does everything from a fresh checkout to `ringlet demo`; arguments go to the demo.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$ringlet_root/scripts/setup.sh" demo
"$ringlet_root/scripts/python_package.sh"
exec "$ringlet_venv/bin/ringlet" demo "$@"
