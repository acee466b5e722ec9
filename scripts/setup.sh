#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Ringlet needs: missing Debian packages and a virtual environment.
#   scripts/setup.sh [demo|docs|peers|bench|browser|test|all]
# demo: enough for `make demo`; docs: also the builder of the documentation; peers: also SEAL, as a
# Python package; bench: also the libraries that `make bench` measures beside Ringlet; browser: also
# the browser that opens the page of `ringlet report` in `make test-long`; test (default): the needs
# of `make test`; all: also the sanitizers, cross compilers, simulators and OpenCL runtimes of `make
# test-all`, but not the browser. Does nothing if all is installed.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

purpose=${1:-test}
packages=(ccache clang-19 lld-19 cmake g++ ninja-build libssl-dev libzstd-dev)
is_for() {
  [[ " $* " == *" $purpose "* ]]
}
if is_for docs all; then
  packages+=(doxygen)
fi
if is_for bench browser test all; then
  packages+=(libbenchmark-dev libflint-dev libgmp-dev)
fi
if is_for bench browser all; then
  # llvm-19 has llvm-mca, which predicts cycles of processors that are not present.
  packages+=(libntl-dev llvm-19)
fi
if is_for browser; then
  packages+=(chromium chromium-driver fonts-dejavu-core fonts-lato)
fi
if is_for test all; then
  packages+=(g++-12 clang-format-19 libgtest-dev pkg-config valgrind libb2-dev libmsgsl-dev libsodium-dev
    zlib1g-dev)
fi
if is_for all; then
  packages+=(libclang-rt-19-dev
    g++-aarch64-linux-gnu g++-s390x-linux-gnu qemu-user
    # Bindings of SEAL's interface, as programs make them.
    pybind11-dev
    # OpenCL on the processor, and a checker of kernels.
    ocl-icd-libopencl1 pocl-opencl-icd oclgrind
    # Simulation and synthesis of the accelerator.
    verilator yosys)
  # Intel's offline compiler of kernels.
  [[ $(uname -m) != x86_64 ]] || packages+=(intel-opencl-icd)
fi

# A Python that can make a virtual environment and build an extension: the system's own first.
find_python() {
  local candidate
  for candidate in "${RINGLET_PYTHON:-}" /usr/bin/python3 python3; do
    [[ -n $candidate ]] && command -v "$candidate" >/dev/null || continue
    if can_build "$candidate"; then
      command -v "$candidate"
      return
    fi
  done
  return 1
}

is_installed() {
  [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Prints the names of missing tools and headers, for systems without apt.
missing_tools() {
  local tool
  for tool in clang++-19 cmake ninja; do
    command -v "$tool" >/dev/null || printf '%s ' "$tool"
  done
  if is_for test all; then
    for tool in g++-12 clang-format-19 pkg-config valgrind; do
      command -v "$tool" >/dev/null || printf '%s ' "$tool"
    done
    [[ -e /usr/include/gtest/gtest.h ]] || printf 'GoogleTest '
    [[ -e /usr/include/benchmark/benchmark.h ]] || printf 'Google Benchmark '
    [[ -e /usr/include/flint/nmod_poly.h ]] || printf 'FLINT '
    [[ -e /usr/include/sodium.h ]] || printf 'libsodium '
    [[ -e /usr/include/blake2.h ]] || printf 'libb2 '
    [[ -e /usr/include/zlib.h ]] || printf 'zlib '
  fi
  if is_for all; then
    for tool in verilator yosys; do
      command -v "$tool" >/dev/null || printf '%s ' "$tool"
    done
    command -v oclgrind >/dev/null || printf 'oclgrind '
    [[ $(uname -m) != x86_64 ]] || command -v ocloc >/dev/null || printf 'ocloc '
    ls /etc/OpenCL/vendors/pocl*.icd >/dev/null 2>&1 || printf 'PoCL '
  fi
  if is_for docs all; then
    command -v doxygen >/dev/null || printf 'doxygen '
  fi
  [[ -e /usr/include/openssl/evp.h ]] || printf "OpenSSL's headers "
  [[ -e /usr/include/zstd.h ]] || printf "Zstandard's headers "
  find_python >/dev/null || printf 'Python 3.10 or newer with venv and headers '
}

# apt-get itself waits for only one of its three locks. The daily update of a machine that has just
# started holds another.
apt_get() {
  local deadline=$((SECONDS + 300)) waits=0 errors
  {
    until errors=$("${sudo[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get -q "$@" \
      2>&1 >&3); do
      printf '%s\n' "$errors"
      [[ $errors == *"Could not get lock"* && $SECONDS -lt $deadline ]] || return 1
      ((waits++)) ||
        printf 'Waiting for another program that holds a lock of apt: 5 min at most\n'
      sleep 5
    done
  } 3>&1
  printf '%s\n' "$errors"
}

explain_root() {
  local sudo=$1 more=" (\`make setup ARGS=all\` names those of all tests too)"
  [[ $purpose != all ]] || more=""
  stop "installing missing packages needs root, or sudo without a password$more. Run:" \
    "${sudo}apt-get update && ${sudo}apt-get install --no-install-recommends ${*:2}"
}

install_packages() {
  local missing=() package sudo=() unavailable updated=true
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    local tools
    tools=$(missing_tools)
    [[ -z $tools ]] ||
      stop "this system has no apt; install by hand and run again: ${tools% }."
    return
  fi
  for package in "${packages[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if ! find_python >/dev/null; then
    for package in python3 python3-venv python3-dev; do
      is_installed "$package" || missing+=("$package")
    done
  fi
  [[ ${#missing[@]} -gt 0 ]] || return 0

  if [[ $(id -u) -ne 0 ]]; then
    if ! command -v sudo >/dev/null; then
      explain_root "" "${missing[@]}"
    elif ! sudo -n true 2>/dev/null; then
      explain_root "sudo " "${missing[@]}"
    fi
    sudo=(sudo -n)
  fi
  # A failing source other than Debian's does no harm.
  phase setup-update.log "updating apt's lists of packages" \
    apt_get update -o APT::Update::Error-Mode=any || updated=false
  # apt treats a name that it does not know, such as g++, as a pattern.
  unavailable=$(printf '%s\n' "${missing[@]}" |
    grep -Fxvf <(apt-cache dumpavail | sed -n 's/^Package: //p') | tr '\n' ' ') || true
  if [[ -n $unavailable ]]; then
    $updated || stop "apt-get update failed; check the network. Not found: ${unavailable% }."
    stop "this system's apt sources do not offer: ${unavailable% } (Debian 12 does)."
  fi
  phase setup-packages.log "installing ${missing[*]}" \
    apt_get install -y --no-install-recommends "${missing[@]}" ||
    stop "apt-get could not install: ${missing[*]}."
  # Builds that missed a tool must configure again.
  rm -f "$ringlet_root"/build/*/presets-used.json
}

install_environment() {
  local python
  python=$(find_python) || stop "no Python 3.10 or newer with venv and its headers was found."
  make_environment "$python"
  [[ $(uname -m) == x86_64 ]] ||
    say ".venv stays empty: scripts/lock_requirements.sh locks packages for x86-64 alone"
  install_requirements requirements-dev.txt
  is_for all && install_requirements requirements-gpu.txt
  is_for browser && install_requirements requirements-browser.txt
  is_for docs all && install_requirements requirements-docs.txt
  # Without TenSEAL and its SEAL `ringlet bench schemes` and its tests report the missing parts.
  is_for demo docs test || (install_requirements requirements-peers.txt) ||
    say "TenSEAL is missing: SEAL is not measured beside Ringlet, and the tests of group tenseal fail"
}

[[ $(uname -s) == Linux ]] || stop "$(uname -s) is not supported; Ringlet needs Linux."
install_packages
install_environment
