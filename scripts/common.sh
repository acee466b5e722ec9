# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
# Sourced by the other scripts: paths, the display of a phase, and how to stop.
set -euo pipefail

ringlet_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
ringlet_venv="$ringlet_root/.venv"
ringlet_python="$ringlet_venv/bin/python"

# As many jobs as processors, and as fit into memory at 1.5 GB: a compiler takes up to 1.3 GB.
# Memory is that of the machine and of every control group around this process, below a root folder.
default_jobs() {
  local root=$1 jobs least limit controllers path
  jobs=$(nproc 2>/dev/null || echo 2)
  least=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB$/\1/p' "$root/proc/meminfo")
  while IFS=: read -r _ controllers path; do
    while [[ -z $controllers || $controllers == memory ]]; do
      # Control groups v2 list no controllers here, and v1 has other folders and names.
      limit=$(cat "$root/sys/fs/cgroup$path/memory.max" 2>/dev/null ||
        cat "$root/sys/fs/cgroup/memory$path/memory.limit_in_bytes" 2>/dev/null) || limit=max
      [[ $limit == max ]] || ((limit / 1024 >= least)) || least=$((limit / 1024))
      [[ -n ${path%/} ]] || break
      path=${path%/*}
    done
  done < <(cat "$root/proc/self/cgroup" 2>/dev/null)
  limit=$((least / 1500000))
  ((limit >= jobs)) || jobs=$((limit > 1 ? limit : 1))
  printf '%s' "$jobs"
}

ringlet_jobs=${RINGLET_JOBS:-$(default_jobs '')}
export RINGLET_JOBS=$ringlet_jobs CMAKE_BUILD_PARALLEL_LEVEL=$ringlet_jobs

# If scripts start each other, only the first prints that they were interrupted.
export RINGLET_FIRST_SCRIPT=${RINGLET_FIRST_SCRIPT:-$$}
trap 'interrupted' INT

interrupted() {
  [[ $RINGLET_FIRST_SCRIPT != "$$" ]] || printf '\nringlet: interrupted.\n' >&2
  exit 130
}

# Prints one sentence and ends the script.
stop() {
  printf 'ringlet: %s\n' "$*" >&2
  exit 1
}

say() {
  printf -- '-- %s\n' "$*"
}

# Shows from a phase's output the progress of ninja, the size of apt's downloads, and waits.
show_progress() {
  local line tenth=0
  while IFS= read -r line; do
    if [[ $line =~ ^\ *\[([0-9]+)/([1-9][0-9]*)\] ]]; then
      if [[ -t 1 ]]; then
        printf '\r   [%s/%s]\e[K' "${BASH_REMATCH[@]:1}"
      elif ((BASH_REMATCH[1] * 10 / BASH_REMATCH[2] > tenth)); then
        tenth=$((BASH_REMATCH[1] * 10 / BASH_REMATCH[2]))
        printf '   [%s/%s]\n' "${BASH_REMATCH[@]:1}"
      fi
    elif [[ $line =~ ^(Need\ to\ get|After\ this\ operation|Waiting\ for) ]]; then
      printf '   %s\n' "$line"
    fi
  done
  [[ ! -t 1 ]] || printf '\r\e[K'
}

# Runs a command with its output in build/LOG; after a failure shows its first error.
#   phase LOG WHAT COMMAND...
phase() {
  local log="$ringlet_root/build/$1" started=$SECONDS
  say "$2; log: build/$1"
  mkdir -p "$ringlet_root/build"
  # After an interrupt apt goes on until it can stop safely, and must be able to write until then.
  if ! "${@:3}" 2>&1 | tee -ip "$log" | show_progress; then
    grep -m 1 -A 60 '^ *FAILED: ' "$log" >&2 || tail -n 40 "$log" >&2
    return 1
  fi
  printf '   %s s\n' $((SECONDS - started))
}

# Configures a preset if its build folder has no cache yet or the presets have changed since. Later
# builds configure again by themselves when a CMake file has changed.
configure() {
  local preset=$1 used="$ringlet_root/build/$1/presets-used.json"
  shift
  if [[ $# -gt 0 ]] || ! cmp -s "$ringlet_root/CMakePresets.json" "$used"; then
    (cd "$ringlet_root" && cmake --preset "$preset" "$@") &&
      cp "$ringlet_root/CMakePresets.json" "$used"
  fi
}

# Whether a Python is 3.10 or newer, can make a virtual environment, and has its headers.
can_build() {
  "$1" - <<'EOF' 2>/dev/null
import os, sys, sysconfig
import ensurepip, venv
header = os.path.join(sysconfig.get_paths()["include"], "Python.h")
sys.exit(0 if sys.version_info >= (3, 10) and os.path.exists(header) else 1)
EOF
}

# Makes the virtual environment $ringlet_venv from a Python, unless it exists.
make_environment() {
  local place="$ringlet_venv/.place"
  # A moved or half-made environment is not worth repairing.
  if [[ ! -x $ringlet_python || ! -f $place || $(<"$place") != "$ringlet_root" ]]; then
    say "virtual environment ${ringlet_venv#"$ringlet_root"/} from $1"
    rm -rf "$ringlet_venv"
    "$1" -m venv "$ringlet_venv"
    printf '%s' "$ringlet_root" >"$place"
  fi
}

# Installs one file of requirements into the virtual environment, unless it has them. Python compiles
# a module when it first imports it: compiling all of them takes half of the time.
install_requirements() {
  local file=python/$1 stamp="$ringlet_venv/.$1" name=${ringlet_venv#"$ringlet_root"/} hash
  hash=$(content_hash "$file")
  [[ -f $stamp && $(<"$stamp") == "$hash" ]] && return
  phase "setup-${1%.txt}.log" "installing $file into $name" \
    "$ringlet_python" -m pip install --disable-pip-version-check --no-compile \
    -r "$ringlet_root/$file" ||
    stop "pip could not install $file into $name."
  printf '%s' "$hash" >"$stamp"
}

# Hash of the names and contents of the given files and folders.
content_hash() {
  (cd "$ringlet_root" &&
    find "$@" -type f ! -name '*.pyc' -print0 2>/dev/null | LC_ALL=C sort -z |
    xargs -0 sha256sum | sha256sum | cut -d ' ' -f 1)
}
