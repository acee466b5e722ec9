#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Sets up and runs the tests; arguments go to scripts/testing/main.py (--help shows them).
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# A chosen group may belong to test-all.
purpose=test
[[ " $* " != *" --"@(all|long|only)* ]] || purpose=all
"$ringlet_root/scripts/setup.sh" "$purpose"
exec "$ringlet_python" "$ringlet_root/scripts/testing/main.py" "$@"
