#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel of this system's Python into dist/, for any Linux on x86-64 with glibc 2.36. It
# contains OpenSSL and Zstandard, as its bill of materials states; auditwheel checks that nothing is
# missing. The same sources, compiler and archives give the same bytes (SOURCE_DATE_EPOCH).
#   scripts/wheel.sh [--lab | --python PATH] [--raw]
# --python builds for another Python, into dist/all/, with its own virtual environment. ccache
# already has the C++ library's objects, but only for folders as deep as build/package. All Pythons
# from 3.12 on share one wheel, for the stable ABI.
# --lab builds the wheel of ringlet-lab instead of ringlet's.
# --raw stops before auditwheel, with the wheel in build/wheel/ or build/wheel-lab/. Both are built
# in the folder of tests/package, which shares the libraries' objects, and only after changes.
# RINGLET_WHEEL_QUICK=FOLDER puts a larger wheel of the same contents there, packed in a second.
# RINGLET_STATIC=OFF links this system's shared libraries, for systems without static archives.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
cd "$ringlet_root"

policy=manylinux_2_36_x86_64
package=ringlet source=. raw=build/wheel log=python-package.log build=build/package dist=dist
sources=(python/CMakeLists.txt python/ringlet python/ringlet_command python/bindings pyproject.toml)
if [[ ${1:-} == --lab ]]; then
  shift
  package=ringlet_lab source=./lab raw=build/wheel-lab log=lab-package.log
  sources=(lab/CMakeLists.txt lab/bench lab/kernels lab/pyproject.toml lab/README.md lab/ringlet_lab
    lab/src python/bindings tests/support/devices/forwarding_backend.hpp)
elif [[ ${1:-} == --python ]]; then
  version=$("${2:?}" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  ringlet_venv="$ringlet_root/build/python-$version" ringlet_python="$ringlet_venv/bin/python"
  make_environment "$2"
  install_requirements requirements-dev.txt
  shift 2
  [[ $version == 3.1[01] ]] || version=abi3
  raw=build/wheel-$version log=wheel-$version.log build=build/package-$version
  dist=dist/all
fi
dist=${RINGLET_WHEEL_QUICK:-$dist}
stamp="$raw/sources"
static=${RINGLET_STATIC:-ON}
[[ -x $ringlet_python ]] || stop "no virtual environment; run 'make setup' first."

build_raw() {
  local hash what="building the Python package $package"
  hash="$static $(content_hash CMakeLists.txt cmake include src LICENSE licenses "${sources[@]}")"
  if [[ -f $stamp && $(<"$stamp") == "$hash" ]]; then
    return 0
  fi
  # A rough estimate for the first build: processors differ.
  [[ -e $build/build.ninja ]] ||
    what+=": about $(((700 / ringlet_jobs + 59) / 60)) min with RINGLET_JOBS=$ringlet_jobs"
  rm -rf "$raw"
  mkdir -p "$raw"
  CXX=${CXX:-clang++-19} CMAKE_GENERATOR=Ninja \
    phase "$log" "$what" "$ringlet_python" -m pip wheel --disable-pip-version-check \
    --no-build-isolation --no-deps -v "$source" --wheel-dir "$raw" \
    --config-settings=build-dir="$ringlet_root/$build" \
    --config-settings=cmake.define.RINGLET_PRECOMPILE=ON \
    --config-settings=cmake.define.RINGLET_WARNINGS_AS_ERRORS=ON \
    --config-settings="cmake.define.RINGLET_OBJECT_CACHE=$ringlet_root/build/object-cache" \
    --config-settings="cmake.define.RINGLET_WITH_STATIC_DEPENDENCIES=$static" ||
    stop "the Python package did not build; the whole log is build/$log."
  printf '%s' "$hash" >"$stamp"
}

build_raw
[[ ${1:-} != --raw ]] || exit 0

[[ $static == ON ]] || stop "a wheel for other systems needs RINGLET_STATIC=ON."
mkdir -p "$dist"
audited="$raw/audited"
rm -rf "$audited"
[[ $dist != dist ]] || rm -f dist/"$package"-*.whl
PATH="$ringlet_venv/bin:$PATH" "$ringlet_python" -m auditwheel repair --plat "$policy" --only-plat \
  --zip-compression-level 0 --wheel-dir "$audited" "$raw"/*.whl >>"build/$log" 2>&1 ||
  stop "auditwheel refused the wheel; the whole log is build/$log."
"$ringlet_python" scripts/finish_wheel.py "$audited"/*.whl "$dist" >>"build/$log" 2>&1 ||
  stop "the wheel could not be packed; the whole log is build/$log."
say "$dist/$(basename "$audited"/*.whl)"
