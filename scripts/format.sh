#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Formats the C++ files of the repository in place.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v clang-format-19 >/dev/null || stop "clang-format-19 is missing; run 'make setup'."
cd "$ringlet_root"
find include src compat tests examples fuzz lab python \( -name '*.cpp' -o -name '*.hpp' \) -print0 \
  2>/dev/null | xargs -0 -r clang-format-19 -i
