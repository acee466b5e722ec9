#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds presets: scripts/build.sh [preset...]; by default dev.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

configure_and_build() {
  configure "$1" && cmake --build "$ringlet_root/build/$1"
}

for preset in "${@:-dev}"; do
  phase "$preset.log" "building preset $preset" configure_and_build "$preset" ||
    stop "preset $preset did not build; the whole log is build/$preset.log."
done
