#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds build/gpu-bundle: a folder to copy to a machine with a GPU, which needs only glibc, Python
# and the GPU's driver. docs/howto/check_your_gpu.md describes its use.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

build="$ringlet_root/build/dev"
bundle="$ringlet_root/build/gpu-bundle"
glibc=2.36
most_mebibytes=60
targets=(ringlet_gpu_bench ringlet_gpu_check ringlet_gpu_scheme_check)

build_programs() {
  say "building ${targets[*]}"
  configure dev
  cmake --build "$build" --parallel "$ringlet_jobs" --target "${targets[@]}"
}

copy_files() {
  say "copying to build/gpu-bundle"
  rm -rf "$bundle"
  mkdir -p "$bundle/bin" "$bundle/lib"
  # Makes one file, an archive that Python runs.
  "$ringlet_python" - "$ringlet_root/lab/bench/gpu/run" "$bundle/run" <<'EOF'
import sys, zipapp
is_source = lambda path: path.suffix == ".py"
zipapp.create_archive(*sys.argv[1:], "/usr/bin/env python3", filter=is_source)
EOF
  install -s "$build/lab/bench/gpu/ringlet_gpu_bench" "$bundle/bin/gpu_bench"
  install -s -t "$bundle/bin" "$build"/tests/gpu_bundle/bin/*
  install -s -t "$bundle/lib" "$build"/tests/gpu_bundle/lib/*
}

write_version() {
  local header="$build/gpu_bundle_commit.hpp" compiler version commit
  cmake -DSOURCE="$ringlet_root" -DHEADER="$header" -P "$ringlet_root/cmake/RingletCommit.cmake"
  commit=$(sed -n 's/.*kCommit = "\(.*\)";/\1/p' "$header")
  version=$(sed -n 's/^#define RINGLET_VERSION_[A-Z]* \([0-9]*\)$/\1/p' \
    "$ringlet_root/include/ringlet/base/version.hpp" | paste -sd .)
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  compiler=$("$compiler" --version | sed -n 1p)
  printf '{"library_version": "%s", "library_commit": "%s", "library_compiler": "%s"}\n' \
    "$version" "$commit" "$compiler" >"$bundle/version.json"
}

# Checks that a program starts wherever glibc is new enough.
check_needs() {
  local file needed newest
  for file in "$bundle"/bin/* "$bundle"/lib/*.so; do
    needed=$(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
      grep -Evx 'lib(c|m|dl|rt|pthread)\.so\.[0-9]|ld-linux-x86-64\.so\.2' | paste -sd ' ' || true)
    [[ -z $needed ]] || stop "${file#"$bundle/"} needs more than glibc: $needed"
    newest=$(readelf -W --version-info "$file" | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
    newest=${newest#GLIBC_}
    [[ $(printf '%s\n' "$newest" "$glibc" | sort -V | tail -n 1) == "$glibc" ]] ||
      stop "${file#"$bundle/"} needs glibc $newest, newer than $glibc"
  done
}

check_size() {
  local kibibytes
  kibibytes=$(du -sk --apparent-size "$bundle" | cut -f 1)
  ((kibibytes <= most_mebibytes * 1024)) ||
    stop "build/gpu-bundle has $((kibibytes / 1024)) MiB, more than $most_mebibytes"
  say "build/gpu-bundle: $((kibibytes / 1024)) MiB; copy it and start ./run --out result"
}

"$ringlet_root/scripts/setup.sh" test
build_programs
copy_files
write_version
check_needs
check_size
