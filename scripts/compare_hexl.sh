#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds HEXL::hexl as shared libraries and compares them with Intel HEXL, which is not built:
#   scripts/compare_hexl.sh [--hexl PREFIX] [--seal FOLDER] [--openfhe FOLDER] [--helib FOLDER]
# docs/hexl.md tells what the folders contain.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build=$ringlet_root/build/compare-hexl
install_drop_in() {
  cd "$ringlet_root"
  cmake --preset release -B "$build" -DBUILD_SHARED_LIBS=ON -DRINGLET_WITH_SCHEMES=OFF &&
    cmake --build "$build" && cmake --install "$build" --prefix "$build/prefix"
}

"$ringlet_root/scripts/setup.sh" demo
phase compare-hexl.log "building HEXL::hexl" install_drop_in ||
  stop "HEXL::hexl did not build; the whole log is build/compare-hexl.log."
exec "$ringlet_python" "$ringlet_root/lab/scripts/compare_hexl.py" --ringlet "$build/prefix" "$@"
