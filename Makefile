# The front door. Each verb sets up what it needs; nothing has to be installed before.
SHELL := /bin/bash
JOBS ?= $(shell nproc)

.PHONY: help demo test test-long check benches bench asan tsan fuzz arm build setup cases clean
help:
	@echo "make demo    build the library and tell the type of a few files (FILES=... for more)"
	@echo "make test    release build and its tests (make test-long: those that take minutes)"
	@echo "make check   format, layers, sizes, words, links; builds nothing"
	@echo "make benches builds the benchmarks, which the next verb runs"
	@echo "make bench   planner, kernel and model benchmarks (PEER=libonnxruntime.so.1 to compare with)"
	@echo "make asan    unit and conformance tests under the address and undefined sanitizers"
	@echo "make tsan    the concurrency tests under the thread sanitizer"
	@echo "make arm     unit, API, conformance and model tests, cross-compiled for AArch64 and under an emulator"
	@echo "make fuzz    two fuzzers for FUZZ_SECONDS (60) each"

setup:
	@scripts/setup

build: setup
	@cmake --preset release >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)

build/configure.log: ; @mkdir -p build
setup build tsan: | build/configure.log

demo: build
	@build/release/bin/filetype README.md examples/filetype/filetype.cc build/release/bin/filetype \
	  examples/filetype/samples/gradient.png examples/filetype/samples/notes.zip $(FILES)

# The ONNX conformance cases come from the PyPI package `onnx`.
cases:
	@scripts/setup --venv
	@build/venv/bin/python scripts/conformance_cases.py build/cases

test: build cases
	@ctest --preset release -j $(JOBS) -LE long

# What takes a minute or more: models of hundreds of megabytes, every model saved and loaded again.
test-long: build
	@ctest --preset release -j $(JOBS) -L long

check:
	@scripts/setup
	@scripts/check

benches: build
	@cmake --build --preset release -j $(JOBS) --target benches

bench: benches
	@bench/run

# Unit and conformance tests; what takes long without testing more under a sanitizer stays out.
asan: cases
	@scripts/setup --fuzz
	@cmake --preset asan >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS) -LE slow

# What several threads share, then 16 callers of one session for TSAN_SECONDS, then 16 that make,
# run, cancel and drop sessions for as long.
TSAN_SECONDS ?= 60
TSAN_TESTS = memory_test parallel_test exec_test session_test
TSAN_MODELS ?= examples/filetype/model/model.onnx
tsan: setup
	@cmake --preset tsan >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset tsan -j $(JOBS) --target $(TSAN_TESTS) waybill_stress waybill_churn
	@TSAN_OPTIONS=die_after_fork=0 ctest --preset tsan -R '^($(subst $() ,|,$(TSAN_TESTS)))$$'
	@build/tsan/bin/waybill_stress --callers 16 --threads 2 --seconds $(TSAN_SECONDS) $(TSAN_MODELS)
	@build/tsan/bin/waybill_churn --callers 16 --threads 2 --seconds $(TSAN_SECONDS) $(TSAN_MODELS)

# All layers under an emulator of AArch64, the library behind its C ABI, the conformance cases and
# the models that take seconds there. What the emulator can not show is left out by the names in
# cmake/aarch64-linux-gnu.cmake.
ARM_TESTS = base_test memory_test parallel_test tensor_test onnx_test graph_test kernel_test cpu_test \
  exec_test session_test api_test api_warm_test models_test
arm: cases
	@scripts/setup --arm
	@cmake --preset arm >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset arm -j $(JOBS) --target $(ARM_TESTS) waybill_conformance api_c_client api_reload
	@ctest --preset arm -j $(JOBS) -LE long

FUZZ_SECONDS ?= 60
fuzz:
	@scripts/setup --fuzz
	@mkdir -p build
	@cmake --preset fuzz >build/configure.log 2>&1 || { cat build/configure.log; exit 1; }
	@cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	@tests/fuzz/run build/asan $(FUZZ_SECONDS)

clean:
	rm -rf build
