# The commands of this repository. `make help` lists them; CMake does the building.

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ichor
SOURCES = find $(wildcard src sim lab bench tests) -name '*.h' -o -name '*.cc'

# What `make demo` shows: the six-node reference cluster, on simulated nodes behind real sockets.
DEMO = build/ichor up -p examples/reference/ichor.yaml --lab --lab-state build/demo --time-scale 20
DEMO_REPORT = build/ichor report -p examples/reference/ichor.yaml --text \
    --state-dir build/demo/ichor/reference

.PHONY: help setup build ichor install deb tarball image sbom test demo conformance \
        conformance-full real real-full vm process baseline faults stress sanitize coverage tidy \
        format analyze mutants fuzz bench bench-check clean

help:  ## list these commands
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' $(MAKEFILE_LIST) | \
	    while read -r name what; do printf '%-18s%s\n' "$$name" "$$what"; done

setup:  ## install the missing Debian packages of tools/packages.txt
	@tools/setup

build: setup  ## build build/ichor and the tests
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release -j $(JOBS)

test: build tidy  ## build, check the style, run all tests that need nothing from outside
	@ctest --preset release -j $(JOBS)

ichor: setup  ## build build/ichor without the tests
	@cmake --preset release --log-level=NOTICE
	@cmake --build --preset release -j $(JOBS) --target ichor

install: ichor  ## install it with completions, man pages and examples; PREFIX, DESTDIR
	@cmake --build --preset release -j $(JOBS) --target extras
	@cmake --install build --prefix $(PREFIX)

deb:  ## pack it for Debian, into build/packages
tarball:  ## pack it for other Linux distributions with glibc
image:  ## make an OCI image layout of it
sbom:  ## write down what it is made of, as SPDX
deb tarball image sbom: ichor
	@cmake --build --preset release -j $(JOBS) --target extras ichor-portable
	@tools/package $@

demo: ichor  ## bring the reference cluster up on the embedded lab and leave a report
	$(DEMO)
	$(DEMO_REPORT) > build/demo/report.txt
	@echo "report: build/demo/report.txt"

conformance: build  ## compare with real tools, as CI does
	@tests/conformance/run

conformance-full: build  ## compare with all the real tools
	@tests/conformance/run --full

real: build  ## bring real Talos nodes up, in namespaces of this machine (needs root)
	@tests/real/nodes build && tests/real/bring_up.py

real-full: real  ## and disturb them: plugs, cables, replies, secrets, other hands
	@tests/real/faults.py && tests/real/day2.py

vm: build  ## install real Talos in virtual machines, about an hour (needs root, 8 GiB of memory)
	@tests/vm/stories.py

process: build  ## ichor and the lab with failing packets, disks, clocks and signals (needs root)
	@tests/process/run

baseline: build  ## the old pipe of talosctl and a shell beside ichor, on the lab
	@bench/baseline

faults: build  ## write docs/faults.md from src/doctor
	@build/ichor doctor --all --markdown > docs/faults.md

stress: build  ## repeat the tests while the machine is busy (hours)
	@tools/stress --times 1000 --jobs 4 build/talos_test
	@tools/stress --times 20 --suite

sanitize: setup  ## run the unit and sim tests under the sanitizers
	@for preset in asan tsan; do \
	    cmake --preset $$preset --log-level=NOTICE && \
	    cmake --build --preset $$preset -j $(JOBS) && \
	    ctest --preset $$preset -j $(JOBS) || exit 1; \
	done

# Comparisons that `make coverage` counts: templates, validation and patches are proved by them.
COMPARISONS = 20-talosctl-lab 21-talosctl-table 30-gen-config 35-patch 37-validate 40-jinja \
    50-sops 60-schematic 65-talhelper 80-kube

coverage: setup  ## print line and branch coverage per folder, of tests and of comparisons
	@cmake --preset coverage --log-level=NOTICE
	@cmake --build --preset coverage -j $(JOBS)
	@rm -rf build/coverage/profile
	@ctest --preset coverage -j $(JOBS)
	@ICHOR=$(CURDIR)/build/coverage/ichor \
	    LLVM_PROFILE_FILE=$(CURDIR)/build/coverage/profile/%m.profraw \
	    tests/conformance/run --full $(COMPARISONS)
	@tools/coverage build/coverage

tidy: setup  ## check style: tools/tidy and clang-format
	@tools/tidy
	@$(SOURCES) | xargs --no-run-if-empty clang-format-16 --dry-run --Werror

format: setup  ## let clang-format rewrite the sources
	@$(SOURCES) | xargs --no-run-if-empty clang-format-16 -i

analyze: build  ## run clang-tidy over all sources (minutes)
	@$(SOURCES) | grep '\.cc$$' | \
	    xargs --no-run-if-empty -n 4 -P $(JOBS) clang-tidy-16 --quiet -p build

mutants: setup  ## build ichor-mutants and show that the checkers find every planted bug
	@cmake --preset mutants --log-level=NOTICE
	@cmake --build --preset mutants -j $(JOBS) --target ichor-mutants
	build-mutants/ichor-mutants simulate --mutants all --seeds 1..10000

fuzz: setup  ## run each fuzzer for FUZZ_SECONDS; the corpus is kept in ~/.cache/ichor
	@cmake --preset fuzz --log-level=NOTICE
	@cmake --build --preset fuzz -j $(JOBS)
	@tools/fuzz build/fuzz $(CACHE)/fuzz $(FUZZ_SECONDS)

bench: build  ## measure; the results go to build/bench.json
	@bench/run

bench-check: build  ## count the instructions of fixed scenarios and compare with the baseline
	@bench/check

clean:  ## remove build/ and build-mutants/
	rm -rf build build-mutants
