#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the Python package and installs it into .venv, where its sources have changed since the
# last time. Its folder is that of tests/package, which makes the libraries of the same objects.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stamp="$ringlet_venv/.ringlet-package"
log="$ringlet_root/build/python-package.log"
[[ -x $ringlet_python ]] || stop "no virtual environment; run 'make setup' first."

hash=$(content_hash CMakeLists.txt cmake include src pyproject.toml python/CMakeLists.txt \
  python/ringlet python/src)
if [[ -f $stamp && $(<"$stamp") == "$hash" ]]; then
  exit 0
fi
say "building and installing the Python package"
mkdir -p "$ringlet_root/build"
rm -f "$stamp"
if ! (cd "$ringlet_root" &&
  CXX=${CXX:-clang++-19} CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$ringlet_jobs \
    "$ringlet_python" -m pip install --disable-pip-version-check --no-build-isolation --no-deps \
    --force-reinstall -v . --config-settings=build-dir=build/package \
    --config-settings=cmake.define.RINGLET_PRECOMPILE=ON >"$log" 2>&1); then
  tail -n 40 "$log" >&2
  stop "the Python package did not build; the whole log is build/python-package.log."
fi
printf '%s' "$hash" >"$stamp"
