#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the source distribution into dist/: all that the package's build needs, and its tests.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ -x $ringlet_python ]] || stop "no virtual environment; run 'make setup' first."
mkdir -p "$ringlet_root/dist"
rm -f "$ringlet_root"/dist/*.tar.gz
(cd "$ringlet_root" && "$ringlet_python" -c '
import sys
from scikit_build_core.build import build_sdist
build_sdist(sys.argv[1])' dist >/dev/null)
say "$(cd "$ringlet_root" && ls dist/*.tar.gz)"
