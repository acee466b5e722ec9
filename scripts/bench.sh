#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the package and measures this machine: the transforms, then the tables of the HEXL paper
# with NTL and FLINT beside them. With arguments, `ringlet bench` runs with those.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

"$ringlet_root/scripts/setup.sh" demo
"$ringlet_root/scripts/python_package.sh"
ringlet=$ringlet_venv/bin/ringlet
peers=()

# Other libraries are measured where they can be had.
build_peers() {
  local log="$ringlet_root/build/peers.log"
  if "$ringlet_root/scripts/setup.sh" bench && configure bench >"$log" 2>&1 &&
    cmake --build "$ringlet_root/build/bench" --target ringlet_peers >>"$log" 2>&1; then
    peers=(--peers "$ringlet_root/build/bench/bench/peers/libringlet_peers.so")
  else
    say "NTL and FLINT are not measured; see above or build/peers.log"
  fi
}

case ${1:-} in
  "")
    build_peers
    "$ringlet" bench ntt
    exec "$ringlet" bench tables "${peers[@]}" --json ringlet-bench-tables.json \
      --png ringlet-bench-tables.png
    ;;
  tables)
    [[ " $* " == *" --peers"* ]] || build_peers
    exec "$ringlet" bench tables "${peers[@]}" "${@:2}"
    ;;
  *) exec "$ringlet" bench "$@" ;;
esac
