#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of ringlet and installs it into .venv if its sources have changed since the last
# time; with --lab also that of ringlet-lab, which measures it.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# install_wheel FOLDER STAMP [OPTION]: the wheel's folder, its stamp in .venv, and how to build it.
install_wheel() {
  local built="$ringlet_root/build/$1" stamp="$ringlet_venv/$2"
  "$ringlet_root/scripts/wheel.sh" "${@:3}" --raw
  if [[ -f $stamp ]] && cmp -s "$stamp" "$built/sources"; then
    return 0
  fi
  say "installing the Python package"
  rm -f "$stamp"
  "$ringlet_python" -m pip install --disable-pip-version-check --no-deps --force-reinstall --quiet \
    "$built"/*.whl || stop "the Python package could not be installed into .venv."
  cp "$built/sources" "$stamp"
}

install_wheel wheel .ringlet-package
if [[ ${1:-} == --lab ]]; then
  install_wheel wheel-lab .ringlet-lab --lab
fi
