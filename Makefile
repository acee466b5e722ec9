# SPDX-License-Identifier: Apache-2.0
# Thin: every target is a script. ARGS goes on to it, as in `make test ARGS='--only structure'`.
.DEFAULT_GOAL := help
.PHONY: help setup build demo test test-all test-long docs bench compare-hexl gpu-bundle
.PHONY: format lint wheel wheel-all sdist clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 20

setup: ## packages and virtual environment; nothing when all is in place
	@scripts/setup.sh $(ARGS)

build: ## the C++ libraries and tests, preset dev
	@scripts/setup.sh
	@scripts/build.sh $(ARGS)

demo: ## classify real data under encryption
	@scripts/demo.sh $(ARGS)

test: ## unit and property tests, the package's, Python's, and the rules of the house
	@scripts/test.sh $(ARGS)

test-all: ## what a change must pass beside them: sanitizers, gcc, other tables, GPU gates, docs
	@scripts/test.sh --all $(ARGS)

test-long: ## what takes longer; goes on where it was interrupted
	@scripts/test.sh --long $(ARGS)

docs: ## the documentation site, build/docs/html
	@scripts/docs.sh $(ARGS)

bench: ## this machine's transforms, and the HEXL paper's tables on it
	@scripts/bench.sh $(ARGS)

compare-hexl: ## Intel HEXL beside Ringlet: HEXL=, SEAL=, OPENFHE=, HELIB=, see docs/hexl.md
	@scripts/compare_hexl.sh --hexl '$(HEXL)' --seal '$(SEAL)' --openfhe '$(OPENFHE)' \
	  --helib '$(HELIB)' $(ARGS)

gpu-bundle: ## build/gpu-bundle: ten minutes on a GPU, see docs/howto/check_your_gpu.md
	@scripts/gpu_bundle.sh $(ARGS)

format: ## clang-format in place
	@scripts/format.sh $(ARGS)

lint: ## clang-tidy and shellcheck
	@scripts/lint.sh $(ARGS)

wheel: ## dist/*.whl, for any Linux on x86-64 with glibc 2.36
	@scripts/setup.sh demo
	@scripts/wheel.sh $(ARGS)

wheel-all: ## dist/all/*.whl, for each CPython from 3.10 to 3.13 that is here, tested with it
	@scripts/setup.sh demo
	@scripts/wheel_all.sh

sdist: ## dist/*.tar.gz, what builds the package elsewhere
	@scripts/setup.sh demo
	@scripts/sdist.sh $(ARGS)

clean: ## remove build output and the virtual environment
	@rm -rf build dist .venv
