#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel and installs it into .venv, where its sources have changed since the last time.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stamp="$ringlet_venv/.ringlet-package"
built="$ringlet_root/build/wheel/sources"

"$ringlet_root/scripts/wheel.sh" --raw
if [[ -f $stamp ]] && cmp -s "$stamp" "$built"; then
  exit 0
fi
say "installing the Python package"
rm -f "$stamp"
"$ringlet_python" -m pip install --disable-pip-version-check --no-deps --force-reinstall --quiet \
  "$ringlet_root"/build/wheel/*.whl || stop "the Python package could not be installed into .venv."
cp "$built" "$stamp"
