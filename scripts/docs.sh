#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the documentation site, build/docs/html/index.html; warnings are errors.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$ringlet_root/scripts/setup.sh" docs
"$ringlet_root/scripts/python_package.sh" --lab
exec "$ringlet_python" "$ringlet_root/scripts/documentation/main.py" "$@"
