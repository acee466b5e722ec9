# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the other scripts: where things are, and how to stop.
set -euo pipefail

ringlet_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ringlet_venv="$ringlet_root/.venv"
ringlet_python="$ringlet_venv/bin/python"
ringlet_jobs=${RINGLET_JOBS:-$(nproc 2>/dev/null || echo 2)}

# Prints one sentence and ends the script.
stop() {
  printf 'ringlet: %s\n' "$*" >&2
  exit 1
}

say() {
  printf -- '-- %s\n' "$*"
}

# Configures a preset where its build folder has no cache yet or the presets have changed since; a
# build later configures again by itself when a CMake file has changed.
configure() {
  local preset=$1 used="$ringlet_root/build/$1/presets-used.json"
  shift
  if [[ $# -gt 0 ]] || ! cmp -s "$ringlet_root/CMakePresets.json" "$used"; then
    (cd "$ringlet_root" && cmake --preset "$preset" "$@")
    cp "$ringlet_root/CMakePresets.json" "$used"
  fi
}

# Hash of the names and contents of the given files and folders.
content_hash() {
  (cd "$ringlet_root" &&
    find "$@" -type f ! -name '*.pyc' -print0 2>/dev/null | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}
