#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the package and prints this machine's table of transforms; arguments go to `ringlet bench`.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$ringlet_root/scripts/setup.sh" demo
"$ringlet_root/scripts/python_package.sh"
exec "$ringlet_venv/bin/ringlet" bench "${@:-ntt}"
