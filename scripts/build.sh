#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures and builds presets: scripts/build.sh [preset...]; dev where none is named.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

for preset in "${@:-dev}"; do
  configure "$preset"
  cmake --build "$ringlet_root/build/$preset" --parallel "$ringlet_jobs"
done
