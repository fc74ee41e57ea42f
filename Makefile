# Kettle: `make demo` to see it, `make test` to check it. Each installs what the system lacks.
PREFIX ?= /usr/local
DESTDIR ?=

# ThreadSanitizer does not see the lock of the standard library; see Sources/KettleSystem/Mutex.swift.
THREAD_BUILD := --sanitize=thread --scratch-path .build/thread -Xswiftc -DKETTLE_THREAD_SANITIZER
THREADED := ^(KettleSystem|KettleCurl|KettleSocket|KettleEngine)Tests

# Their conversations have budgets, and tests of files hold the few threads of Swift's pool for long.
CONVERSING := ^KettleSocketTests|^KettleRPCTests|^KettleDaemonTests|^KettleCurlTests|^KettleTerminalTests

WAITING := $(CONVERSING)|^WireTests|^BackgroundTransferTests|AppleSource|ExampleTests|IntegrationTests|^SessionTests

# The minute of fuzzing in `make test` tries the same inputs each time, so that a failure is due to
# the change. `make test-fuzz` draws a seed.
FUZZ_SEED := 6574136399857488747

# The fastest way to build everything once: each module as a whole, and without debug information.
# Without a number of threads the compiler writes one object file per module, which SwiftPM does not
# look for.
WHOLE := -debug-info-format none --disable-index-store -Xswiftc -whole-module-optimization \
  -Xswiftc -num-threads -Xswiftc 2

# SwiftPM would need an index to look for tests of XCTest; Tests/LinuxMain.swift takes its place.
TEST_BUILD := --build-tests $(WHOLE)

# The program without optimization, in a folder of its own.
DEMO_BUILD := --product kettle --scratch-path .build/demo $(WHOLE)

# What `swift test` starts. Without an index, `swift test --skip-build` itself finds no test and passes.
RUN_TESTS := .build/debug/kettlePackageTests.xctest --testing-library swift-testing

# What runs one group of them, keeps its output and prints its failures.
GROUP := ./assets/run-tests.sh

# A run with one seed is the same again only if the order of sets and dictionaries is.
SIMULATE := SWIFT_DETERMINISTIC_HASHING=1 $(GROUP) simulation $(RUN_TESTS) --filter '^SimulationTests'

.DEFAULT_GOAL := help
.PHONY: help deps build demo day pictures test tests-that-compute tests-that-fuzz tests-that-wait tests-of-the-wire tests-of-examples simulate test-fuzz test-thread test-faults test-servers test-sources test-fleet test-clients test-guards bench bench-network growth numbers install man deb test-deb tarball portable image rpm apt-repository recipes test-packages release reproduce extension extension-pictures format lint catalogue faults examples docs site test-site clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## Install what the system lacks
	@./assets/install-deps.sh

build: deps ## Build the release program, .build/release/kettle
	flags=$$(./assets/release-flags.sh) && swift build -c release $$flags --product kettle

demo: deps ## Watch files being downloaded, in a throw-away home
	swift build $(DEMO_BUILD)
	.build/demo/debug/kettle demo

test: deps lint ## Check the style, build everything, run all tests
	@assets/package/test-recipes.sh
	swift build $(TEST_BUILD)
	@rm -rf .build/tests
	@$(MAKE) --no-print-directory -k -j2 tests-that-compute tests-that-fuzz \
	  && $(MAKE) --no-print-directory -k -j2 tests-that-wait \
	  || { cat .build/tests/failures; exit 1; }
	@echo 'test: everything passed'

# Beside what computes, tests of the real program and of conversations would miss their budgets.
tests-that-compute:
	@$(GROUP) computing $(RUN_TESTS) --skip '$(WAITING)|FaultStormTests|^ServerTests|^FuzzTests|^SimulationTests'
	@$(SIMULATE)

tests-that-fuzz:
	@KETTLE_SEED=$${KETTLE_SEED:-$(FUZZ_SEED)} KETTLE_FUZZ_SECONDS=60 \
	  $(GROUP) fuzz $(RUN_TESTS) --filter '^FuzzTests'

tests-that-wait:
	@$(GROUP) conversations $(RUN_TESTS) --filter '$(CONVERSING)'
	@$(GROUP) program $(RUN_TESTS) --filter IntegrationTests --skip PackageGraphTests
	@$(GROUP) package $(RUN_TESTS) --filter PackageGraphTests
	@$(MAKE) --no-print-directory tests-of-the-wire tests-of-examples
	@$(GROUP) sessions $(RUN_TESTS) --filter '^SessionTests'

tests-of-the-wire:
	@$(GROUP) wire $(RUN_TESTS) --filter '^WireTests|^BackgroundTransferTests'
	@$(GROUP) source $(RUN_TESTS) --filter AppleSource

tests-of-examples:
	@$(GROUP) examples $(RUN_TESTS) --filter ExampleTests

test-fuzz: deps ## Try mutated inputs on all that reads foreign bytes; SECONDS=600 for ten minutes
	swift build $(TEST_BUILD)
	@KETTLE_FUZZ_SECONDS='$(or $(SECONDS),120)' $(GROUP) fuzz $(RUN_TESTS) --filter '^FuzzTests'
	@echo 'test-fuzz: everything passed'

simulate: deps ## Simulate the engine with faults of any kind; SECONDS=600 for ten minutes
	swift build $(TEST_BUILD)
	@KETTLE_SIMULATE_SECONDS='$(or $(SECONDS),120)' $(SIMULATE); status=$$?; \
	  sed -n '/^simulated/,/^$$/p' .build/tests/simulation.log; exit $$status

test-thread: deps ## Look for data races with ThreadSanitizer, in a build of its own
	swift build --build-tests $(THREAD_BUILD)
	TSAN_OPTIONS='suppressions=$(CURDIR)/assets/thread-suppressions.txt' \
	  swift test --skip-build --disable-xctest $(THREAD_BUILD) --filter '$(THREADED)'
	@echo 'test-thread: everything passed'

day: build ## Drive the dashboard through a whole day's work, and keep the screens
	assets/day/day.sh .build/release/kettle .build/day

pictures: build ## Make the pictures of the documentation from the real dashboard
	@./assets/install-deps.sh pictures
	assets/day/gallery.sh .build/release/kettle .build/gallery
	assets/day/scene.sh .build/release/kettle .build/scene
	assets/day/collection.sh .build/release/kettle .build/collection
	assets/day/pictures.sh .build/gallery .build/scene .build/collection docs/pictures

test-faults: deps ## Kill it, cut its power and starve it, for about half an hour
	@./assets/install-deps.sh faults
	swift build $(TEST_BUILD)
	@$(GROUP) faults $(RUN_TESTS) --no-parallel --filter FaultStormTests
	@echo 'test-faults: everything passed'

test-servers: deps ## Run it with nginx, Apache, squid and dante, and take them away in between
	@./assets/install-deps.sh servers
	swift build $(TEST_BUILD)
	@$(GROUP) servers $(RUN_TESTS) --no-parallel --filter '^ServerTests'
	@echo 'test-servers: everything passed'

test-sources: deps ## Download collections from real servers, and kill the service meanwhile
	@./assets/install-deps.sh sources
	swift build $(TEST_BUILD) --product kettle
	./assets/sources/check.sh .build/debug/kettle

test-fleet: deps ## Let services work as one fleet, and kill, stop and cut them off meanwhile
	@./assets/install-deps.sh fleet
	swift build $(TEST_BUILD)
	@KETTLE_FLEET_SEEDS=3000 $(GROUP) fleet $(RUN_TESTS) --filter '^Kettle(Fleet|Postgres)Tests'
	./assets/fleet/storm.py .build/debug/kettle --transfers $(or $(TRANSFERS),6000)
	./assets/fleet/share.py .build/debug/kettle
	swift build --product kettle --traits Service --scratch-path .build/without-fleets $(WHOLE)
	@nm .build/without-fleets/debug/kettle | awk '/KettleDaemon/ { ours++ } /KettleFleet|KettlePostgres/ { fleets++ } \
	  END { print "without the trait Fleet: " ours + 0 " symbols of the service, " fleets + 0 " of fleets"; \
	    exit ours == 0 || fleets > 0 }'
	@echo 'test-fleet: everything passed'

test-clients: deps ## Run its WebExtension and programs written for aria2; ARIANG=FOLDER for AriaNg's page too
	@./assets/install-deps.sh clients
	./assets/clients/run.sh
	@echo 'test-clients: everything passed'

test-guards: deps ## Remove the most important checks and verify that tests fail
	./assets/guards/check.sh

bench: deps ## Measure Kettle beside its peers; ROW=plain-1 measures one row, RUNS=3 all thrice
	@./assets/install-deps.sh bench
	KETTLE_BENCH_RUNS='$(or $(RUNS),1)' ./assets/bench/bench.sh $(ROW)

bench-network: deps ## Measure Kettle beside its peers over emulated networks, as root; ROW, RUNS as above
	@./assets/install-deps.sh bench
	KETTLE_BENCH_RUNS='$(or $(RUNS),3)' ./assets/bench/network.sh $(ROW)

growth: deps ## Measure how costs grow with connections, queue and size, and draw it
	@./assets/install-deps.sh bench
	./assets/bench/growth.sh
	awk -v out=docs/pictures -f assets/bench/lib/json.awk -f assets/bench/plots.awk .build/growth.json

numbers: ## Write the results of the last benchmarks into the documentation
	./assets/bench/write-numbers.sh

install: build ## Install program, pages, completions and units under PREFIX (/usr/local)
	assets/package/tree.sh .build/release/kettle '$(PREFIX)' '$(DESTDIR)'

man: build ## Write the manual pages into .build/man, and check them
	@./assets/install-deps.sh package
	assets/package/man.sh .build/release/kettle .build/man

deb: build ## Make a package for Debian and Ubuntu in .build/package, and check it
	@./assets/install-deps.sh package
	assets/package/deb.sh .build/release/kettle .build/package

test-deb: deb ## Install the package in a new Debian 12 without Swift, and use it there, as root
	assets/package/test-deb.sh "$$(ls -t .build/package/kettle_*.deb | head -1)"

tarball: build ## Make an archive with install.sh in .build/package
	@./assets/install-deps.sh package
	assets/package/tarball.sh .build/release/kettle .build/package

portable: build ## Make an archive for any Linux of this architecture in .build/package, on Debian
	@./assets/install-deps.sh package
	assets/package/tarball.sh .build/release/kettle .build/package portable

image: build ## Make an image for containers in .build/package, on Debian
	@./assets/install-deps.sh package
	assets/package/image.py .build/release/kettle .build/package

rpm: build ## Make a package for Fedora and openSUSE in .build/package, where rpmbuild is
	assets/package/rpm.sh .build/release/kettle .build/package

apt-repository: deb ## Make a repository for apt in .build/package/apt, signed with KEY=FINGERPRINT
	@./assets/install-deps.sh release
	assets/package/apt-repository.sh .build/package '$(KEY)'

recipes: portable ## Make recipes for Arch, Nix, Homebrew, Fedora and openSUSE in .build/package/recipes
	assets/package/recipes.sh .build/package

test-packages: deb tarball recipes image ## Try what was packaged in other systems, and update to it; as root
	@./assets/install-deps.sh release
	@./assets/install-deps.sh containers
	assets/package/test-release.sh
	assets/package/test-archive.sh "$$(ls -t .build/package/kettle-*.tar.xz | grep -v portable | head -1)"
	assets/package/test-archive.sh "$$(ls -t .build/package/kettle-*-portable.tar.xz | head -1)"
	assets/package/test-portable.sh "$$(ls -t .build/package/*-portable.tar.xz | head -1)" .build/release/kettle
	assets/package/test-image.sh "$$(ls -t .build/package/*-oci-*.tar | head -1)"
	assets/package/test-apt.sh "$$(ls -t .build/package/kettle_*.deb | head -1)"
	assets/package/test-recipes.sh .build/package
	assets/package/test-update.sh .build/release/kettle
	@echo 'test-packages: everything passed'

release: ## Make a release of a clean tree: VERSION=1.2.3 MINISIGN=FILE KEY=FINGERPRINT
	@./assets/install-deps.sh release
	assets/package/make-release.sh '$(VERSION)'

reproduce: build ## Build the release program in a second folder, and compare the bytes
	assets/package/reproduce.sh .build/release/kettle

extension: ## Make the archives of the extension for the browsers' stores in .build/extension
	assets/webextension/store/pack.py .build/extension

extension-pictures: deps ## Make the pictures of the extension for the stores, in a headless Chromium
	@./assets/install-deps.sh clients
	PICTURES='$(CURDIR)/.build/extension/pictures' ./assets/clients/run.sh webextension
	cp .build/extension/pictures/screenshot-*.png .build/extension/pictures/tile.png assets/webextension/store

format: ## Lay out all Swift sources
	swift format -i -p -r Sources Examples Benchmarks Tests Package.swift

lint: ## Complain about layout without changing it
	swift format lint --strict -p -r Sources Examples Benchmarks Tests Package.swift

catalogue: ## Write the demo's catalogue into its source file
	awk -f assets/demo-catalogue.awk assets/demo-catalogue.json \
	  > 'Sources/KettleDemo/DemoCatalogue+Generated.swift'
	swift format -i 'Sources/KettleDemo/DemoCatalogue+Generated.swift'

faults: ## Write the names of the tests into the table of faults
	awk -f assets/faults-table.awk $$(find Tests -name '*.swift' | sort) docs/faults.md > .build/faults.md
	mv .build/faults.md docs/faults.md

examples: ## Write the examples of the documentation into sources that are compiled
	assets/doc-examples.sh Tests/DocumentationTests/Generated Tests/DocumentationPrograms/Generated

docs: deps ## Make the documentation of the library, and fail on a link that leads nowhere
	assets/docs.sh .build/documentation

site: build docs ## Make the web site in .build/site, and fail on a link that leads nowhere
	@./assets/install-deps.sh site
	assets/package/man.sh .build/release/kettle .build/man
	assets/site/build.py .build/man .build/documentation .build/site
	assets/site/check.py .build/site

test-site: build ## Run every command of the documents as they stand there, in about four minutes
	@./assets/install-deps.sh commands
	assets/site/tutorial.py .build/release/kettle
	assets/site/commands.py .build/release/kettle

clean: ## Remove everything that was built
	rm -rf .build
