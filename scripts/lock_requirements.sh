#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes requirements-*.txt beside each given requirements-*.in: the same packages and their
# dependencies, with hashes of the files that Linux on x86-64 installs for Python 3.10 to 3.14;
# NumPy has no newer wheels. Keeps versions where it can.
#   scripts/lock_requirements.sh python/requirements-dev.in
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

command -v uv >/dev/null || stop "uv is missing: 'pip install uv' brings it."
cd "$ringlet_root"
for wanted in "$@"; do
  locked="$(realpath "${wanted%.in}").txt"
  work=$(mktemp -d)
  cat >"$work/pyproject.toml" <<'EOF'
[project]
name = "requirements"
version = "0"
requires-python = ">=3.10,<3.15"
[tool.uv]
environments = ["sys_platform == 'linux' and platform_machine == 'x86_64'"]
EOF
  uv pip compile --quiet --universal --python-version 3.10 --no-header "$wanted" -o "$locked"
  # `uv pip compile` takes the hashes of all platforms; a lock takes only those of its environments.
  uv add --quiet --no-sync --project "$work" -r "$wanted" -c "$locked"
  {
    printf '# Made from %s by scripts/lock_requirements.sh.\n' "$(basename "$wanted")"
    uv export --quiet --frozen --project "$work" --no-emit-project --no-annotate --no-header
  } >"$work/locked"
  mv "$work/locked" "$locked"
  rm -r "$work"
done
