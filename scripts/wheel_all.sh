#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a wheel for each CPython from 3.10 to 3.13 that Debian or pyenv has installed, into
# dist/all/, and tests it in an empty environment of that Python. From 3.12 on there is one wheel,
# for the stable ABI, which is tested with each.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
shopt -s extglob nullglob
cd "$ringlet_root"

# find_version VERSION: the system's Python of that version, otherwise one of pyenv's.
find_version() {
  local candidate
  for candidate in /usr/bin/"python$1" \
    "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".+([0-9])/bin/"python$1"; do
    if [[ -x $candidate ]] && can_build "$candidate"; then
      printf '%s' "$candidate"
      return
    fi
  done
}

rm -rf dist/all
tested=0
for version in 3.10 3.11 3.12 3.13; do
  python=$(find_version "$version")
  if [[ -z $python ]]; then
    say "no CPython $version with venv and headers was found: no wheel is built or tested for it"
    continue
  fi
  say "CPython $version: $python"
  scripts/wheel.sh --python "$python"
  "build/python-$version/bin/python" tests/package/check_wheel.py --built
  tested=$((tested + 1))
done
((tested > 0)) || stop "no CPython from 3.10 to 3.13 with venv and its headers was found:" \
  "'apt-get install python3-venv python3-dev' or 'pyenv install 3.12' brings one."
