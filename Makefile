# The same doors for those who have make. CMake and Ninja do the work (CMakePresets.json).
.PHONY: help run test quick build debug bench dense install deb asan tsan memcheck coverage fuzz lint format docs clean

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 18

run: ## install what is missing, build, show the example
	@./run
test: ## test everything
	@./test
quick: ## test the release build only
	@./test --quick
build: ## build/release/privdpr and the libraries beside it
	@sh scripts/install-packages.sh build
	@sh scripts/build.sh release -DPRIVDPR_TESTS=OFF
	@echo build/release/privdpr
debug: ## build/debug, with assertions
	@sh scripts/install-packages.sh build test
	@sh scripts/build.sh debug
bench: ## time the kernels against their peers, as JSON lines
	@sh scripts/install-packages.sh build bench
	@sh scripts/build.sh release -DPRIVDPR_TESTS=OFF -DPRIVDPR_BENCH=ON
	@for b in build/release/bench/bench_*; do $$b || exit 1; done
dense: build ## the paper's system beside a dense PyTorch port of it (needs python3-torch, libopenblas0)
	@sh bench/dense_port.sh build/release/privdpr ../shared/datasets/cora.edges
install: build ## install under PREFIX (default /usr/local), DESTDIR honoured
	@cmake --install build/release --prefix $(or $(PREFIX),/usr/local)
deb: build ## a Debian package in build/release
	@sh scripts/install-packages.sh deb
	@cd build/release && cpack -G DEB
asan tsan: ## tests under sanitizers
	@sh scripts/install-packages.sh build test
	@sh scripts/build.sh $@
	@ctest --preset $@
memcheck: ## valgrind over the tests of what is published
	@sh scripts/memcheck.sh
coverage: ## line and branch coverage of the tests
	@sh scripts/coverage.sh
fuzz: ## fuzz every reader, FUZZ_SECONDS each (default 1800)
	@sh scripts/fuzz.sh
lint: ## layout, modules, static analysis
	@for c in tests/lint/check_*.sh; do echo $$c; sh $$c || exit 1; done
format: ## lay out every source file
	@git ls-files '*.c' '*.h' | xargs clang-format -i
clean: ## remove build/
	@rm -rf build
