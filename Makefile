# The two commands are `make demo` and `make test`; `make help` names the rest. Each does its own set-up and
# only what is missing. Everything built lies in build/ (and build-asan, build-tsan), everything fetched in .venv.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo build test bench lint format asan tsan fuzz install clean

JOBS ?= $(shell nproc)
MINUTES ?= 20
PREFIX ?= $(CURDIR)/dist
python := .venv/bin/python -B
# What benchmarks and script tests read from outside the sources; unit tests find the same by themselves.
export HASA_MINILM ?= $(CURDIR)/.venv/models/all-MiniLM-L6-v2
ifneq ($(wildcard $(CURDIR)/../shared/data),)
export HASA_DATA ?= $(CURDIR)/../shared/data
endif
# $(call configured,preset,options): configures the preset's folder when it, or one of the options, is new.
configured = tools/configure.sh $(1) $(2)

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## /\1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 10

demo: build ## train on WordNet's animals, evaluate, and ask questions: about five minutes on two cores
	@build/hasa demo

build: ## the release program, build/hasa
	@tools/setup.sh build
	$(call configured,release)
	cmake --build build -j $(JOBS) --target hasa

test: ## all tests; with CI=true a skipped test fails, unless a GPU is missing
	@tools/setup.sh build test
	$(call configured,release,-DHASA_TESTS=ON -DHASA_PYTHON=ON)
	cmake --build build -j $(JOBS) --target tests
	ctest --test-dir build -j $(JOBS) --output-on-failure --no-tests=error --progress --output-junit junit.xml

bench: ## build the benchmarks and run those of single operations (bench/README.md has the rest)
	@tools/setup.sh build bench
	$(call configured,release,-DHASA_BENCH=ON -DHASA_PYTHON=ON)
	cmake --build build -j $(JOBS) --target benches
	for program in build/*_bench; do echo "== $$program"; $$program; done

lint: ## clang-format and clang-tidy in one pinned version; unchanged files are not checked again
	@tools/setup.sh build test bench lint
	$(call configured,lint)
	$(python) tools/lint.py -j $(JOBS) build-lint

format: ## format the sources with clang-format
	@tools/setup.sh build lint
	$(python) tools/lint.py --format

asan: ## the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup.sh build test
	$(call configured,asan)
	cmake --build --preset asan -j $(JOBS)
	ctest --preset asan -j $(JOBS)

tsan: ## the tests of everything outside OpenMP under ThreadSanitizer
	@tools/setup.sh build test
	$(call configured,tsan)
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS)

fuzz: ## each fuzzer, and each reader of one, for MINUTES (20); findings are kept in build/fuzz/corpus
	@tools/setup.sh build test
	$(call configured,release,-DHASA_TESTS=ON)
	cmake --build build -j $(JOBS) --target fuzzers
	$(python) tools/fuzz.py --build build/fuzz --corpus build/fuzz/corpus --each-reader --seconds $$(( $(MINUTES) * 60 ))

install: build ## a relocatable folder with the program and its libraries in PREFIX (dist/)
	@cmake --install build --prefix "$(PREFIX)" | grep -v -e '-- Installing' -e '-- Up-to-date' || true
	echo "installed in $(PREFIX); try $(PREFIX)/bin/hasa version"

clean: ## delete what was built, except .venv and .venv-yardstick
	rm -rf build build-asan build-tsan build-dev build-lint build-cuda build-wheel dist
