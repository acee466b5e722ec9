#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and installs both packages, and measures this machine: the transforms beside tfhe-ntt, then
# the tables of the HEXL paper together with NTL and FLINT. With arguments, runs `ringlet bench` with
# these: `ntt` with tfhe-ntt where cargo can build it, `wide` with FLINT and GMP, `schemes` with SEAL,
# `seal` with the SEAL of the prefix $SEAL; `fv` simulates the accelerator first; `ntt --figures`
# builds programs by both compilers and predicts cycles. `fv` also shows the accelerator's blocks that
# hw/karatsuba/synth/place.py has placed and routed, if it wrote this file. `predictions` compares this
# processor's table of ports with it, and the cycles that follow for transforms with measured ones.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

placed="$ringlet_root/build/place/report.json"
"$ringlet_root/scripts/setup.sh" demo

"$ringlet_root/scripts/python_package.sh" --lab
ringlet=$ringlet_venv/bin/ringlet
peers=()
transforms=()
reports=()
programs=()

# Measures other libraries too if they are available.
build_peers() {
  local log="$ringlet_root/build/peers.log"
  if "$ringlet_root/scripts/setup.sh" bench && configure bench >"$log" 2>&1 &&
    cmake --build "$ringlet_root/build/bench" --target ringlet_peers >>"$log" 2>&1; then
    peers=(--peers "$ringlet_root/build/bench/lab/bench/peers/libringlet_peers.so")
  else
    say "NTL, FLINT and GMP are not measured; see above or build/peers.log"
  fi
}

# Measures tfhe-ntt too if this machine has Rust for it. Its sources are built in a copy, where cargo
# may write.
build_tfhe_ntt() {
  local folder="$ringlet_root/build/tfhe-ntt" log="$ringlet_root/build/tfhe-ntt.log"
  mkdir -p "$folder"
  if command -v cargo >/dev/null && cp -r "$ringlet_root/lab/bench/peers/tfhe_ntt/." "$folder" &&
    cargo build --release --manifest-path "$folder/Cargo.toml" >"$log" 2>&1; then
    transforms=(--peers "$folder/target/release/libringlet_peers_tfhe_ntt.so")
  else
    say "tfhe-ntt is not measured: it needs cargo and Rust 1.91; see build/tfhe-ntt.log"
  fi
}

# Makes the reports of the accelerator's simulation, the study of splits and logic synthesis. The
# last stops before mapping, which takes long (`make test-long ARGS='--only hardware'` maps).
build_reports() {
  local folder="$ringlet_root/build/dev" log="$ringlet_root/build/hardware.log"
  local hardware="$folder/hw/karatsuba"
  if "$ringlet_root/scripts/setup.sh" all && configure dev >"$log" 2>&1 &&
    cmake --build "$folder" --target hw_karatsuba_report ringlet_split_study >>"$log" 2>&1 &&
    "$hardware/hw_karatsuba_report" "$hardware/report.json" >>"$log" 2>&1 &&
    "$hardware/ringlet_split_study" --measure --recursions={7,8,10} \
      --json="$hardware/study.json" >>"$log" 2>&1 &&
    "$ringlet_python" "$ringlet_root/hw/karatsuba/synth/synthesize.py" --coarse \
      --json "$hardware/synth.json" >>"$log" 2>&1; then
    reports=(--hardware "$hardware/report.json" --study "$hardware/study.json"
      --synth "$hardware/synth.json")
    [[ ! -f $placed ]] || reports+=(--place "$placed")
  else
    say "the accelerator is not shown; see above or build/hardware.log"
  fi
}

# Builds the program that times SEAL's interface; with SEAL=PREFIX also a module with that SEAL.
build_seal() {
  "$ringlet_root/scripts/setup.sh" test
  phase bench-seal.log "SEAL's interface and its measurements" build_seal_program
  programs=(--program "$ringlet_root/build/bench-seal/lab/bench/seal/ringlet_bench_seal")
}
build_seal_program() {
  (cd "$ringlet_root" && cmake --preset bench -B build/bench-seal -DRINGLET_WITH_SEAL=ON \
    -DRINGLET_BENCH_SEAL="${SEAL:-}") &&
    cmake --build "$ringlet_root/build/bench-seal" --target ringlet_bench_seal
}

# Builds the same programs by clang and gcc, and the predictions of llvm-mca.
build_programs() {
  local log="$ringlet_root/build/programs.log" compiler preset
  local file="$ringlet_root/build/predictions.json"
  "$ringlet_root/scripts/setup.sh" all || say "not everything that counts and predicts is there"
  for compiler in clang gcc; do
    preset=bench
    [[ $compiler == clang ]] || preset=bench-gcc
    if configure "$preset" >"$log" 2>&1 &&
      cmake --build "$ringlet_root/build/$preset" \
        --target ringlet_bench_ntt_variants ringlet_variant_once >>"$log" 2>&1; then
      programs+=("--$compiler" "$ringlet_root/build/$preset/lab/bench")
    else
      say "no programs by $compiler; see build/programs.log"
    fi
  done
  if "$ringlet_python" "$ringlet_root/lab/scripts/predict_cycles.py" --json "$file" >>"$log" 2>&1; then
    programs+=(--predictions "$file")
  else
    say "no cycles are predicted; see build/programs.log"
  fi
}

# Builds the program whose transforms are counted and timed.
build_transform() {
  configure bench && cmake --build "$ringlet_root/build/bench" --target ringlet_transform_once
}

case ${1:-} in
  "")
    build_peers
    build_tfhe_ntt
    "$ringlet" bench ntt "${transforms[@]}"
    exec "$ringlet" bench tables "${peers[@]}" --json ringlet-bench-tables.json \
      --png ringlet-bench-tables.png
    ;;
  tables)
    [[ " $* " == *" --peers"* ]] || build_peers
    exec "$ringlet" bench tables "${peers[@]}" "${@:2}"
    ;;
  fv)
    [[ " $* " == *" --hardware"* ]] || build_reports
    exec "$ringlet" bench fv "${reports[@]}" "${@:2}"
    ;;
  wide)
    [[ " $* " == *" --peers"* ]] || build_peers
    exec "$ringlet" bench wide "${peers[@]}" "${@:2}"
    ;;
  schemes)
    "$ringlet_root/scripts/setup.sh" peers
    exec "$ringlet" bench "$@"
    ;;
  predictions)
    phase bench-predictions.log "the program that transforms once" build_transform
    "$ringlet_python" "$ringlet_root/lab/scripts/check_ports.py" ||
      say "the table of ports differs from this machine, or it is busy; see above"
    exec "$ringlet_python" "$ringlet_root/lab/scripts/predict_transforms.py" \
      "$ringlet_root/build/bench/lab/bench/ringlet_transform_once" "${@:2}"
    ;;
  seal)
    [[ " $* " == *" --program"* ]] || build_seal
    exec "$ringlet" bench seal "${programs[@]}" "${@:2}"
    ;;
  ntt)
    if [[ " $* " != *" --figures"* ]]; then
      [[ " $* " == *" --peers"* ]] || build_tfhe_ntt
    elif [[ " $* " != *" --clang"* ]]; then
      build_programs
    fi
    exec "$ringlet" bench ntt "${transforms[@]}" "${programs[@]}" "${@:2}"
    ;;
  *) exec "$ringlet" bench "$@" ;;
esac
