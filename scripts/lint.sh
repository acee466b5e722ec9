#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs clang-tidy over the sources of the libraries (or over the given files), and shellcheck if it
# is installed. Ends with an error at the first finding.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v clang-tidy-19 >/dev/null ||
  stop "clang-tidy-19 is missing; 'apt-get install clang-tidy-19' brings it."
cd "$ringlet_root"
configure release
if command -v shellcheck >/dev/null; then
  shellcheck -x -P scripts scripts/*.sh .ci/run
else
  say "shellcheck is not installed: the scripts are not checked"
fi
if [[ $# -gt 0 ]]; then
  printf '%s\0' "$@"
else
  find src -name '*.cpp' -print0
fi | xargs -0 -n 1 -P "$ringlet_jobs" clang-tidy-19 --quiet -p build/release
