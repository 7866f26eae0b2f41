# The two commands are `make serve` and `make test`; each installs what it needs into .venv.

PYTHON ?= python3
BIN := .venv/bin
# What `make serve` has beside the service.
EXTRAS := --extra local-embeddings --extra office-documents
COMPILE := $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	--no-emit-index-url --no-emit-find-links --no-header --no-build-isolation --system-certs

PIP := $(BIN)/pip install --disable-pip-version-check --require-hashes

OPENAPI_GENERATOR := 7.25.0
OPENAPI_GENERATOR_SHA256 := 41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae

# uv installs in a fraction of the time, from the index that pip is set to; pip does where uv cannot be had.
define install
@awk '/^uv==/ { on = 1 } on { print } on && !/\\$$/ { exit }' requirements-dev.lock > .venv/installer.lock
@index=$${PIP_INDEX_URL:-$$($(BIN)/pip config get global.index-url 2>/dev/null)}; \
[ -z "$$index" ] || export UV_DEFAULT_INDEX="$$index"; \
{ $(PIP) --quiet -r .venv/installer.lock && \
$(BIN)/uv pip install --system-certs --link-mode copy --compile-bytecode \
	--python $(BIN)/python --require-hashes -r $(1); } || \
{ echo "rowgate: uv could not, so pip does"; $(PIP) -r $(1); }
endef

TESTS := $(BIN)/python -m tests.run $(BIN)/pytest
# What the clients of openapi-generator are made with, in the full run, where Java and Maven are.
JAR := .venv/openapi-generator.jar
WITH_JAVA := $(if $(ALL),$(shell command -v javac >/dev/null && command -v mvn >/dev/null && echo $(JAR)))
# The full run takes long, and a browser is late at times: what waited for it in vain is tried once more, and named.
AGAIN := --reruns 1 --only-rerun "^TimeoutError: (Locator|Page)" --only-rerun "^AssertionError: (Locator|Page) expected" -r fER
HOW = $(if $(ALL),--all-models $(AGAIN)) $(if $(DURATIONS),--durations-file) $(if $(WITH_JAVA),--openapi-generator=$(JAR))

.PHONY: help serve test check lint bench bench-queries bench-live bench-transfers bench-writes bench-shapes bench-changes bench-search bench-peers bench-history gate clients studio docs breaking version dist fuzz generators attacks mutations tables lock clean

help: ## print the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*##/\t/' | expand -t 12

serve: .venv/run .venv/bin/rowgate ## run the service with everything it needs (SAMPLE=1 loads sample data)
	@exec $(BIN)/flask serve $(if $(SAMPLE),--sample)

test: .venv/dev .venv/bin/rowgate .venv/node/installed .venv/studio/installed $(WITH_JAVA) ## run the tests (ALL=1 on every model; DURATIONS=1 measures them)
	@failed=; $(if $(DURATIONS),rm -f tests/durations.json;) \
	$(if $(ALL),$(TESTS) $(HOW) -m alone --numprocesses=0 || failed=1;) \
	$(TESTS) $(HOW) && [ -z "$$failed" ] && { git rev-parse HEAD > .venv/passed 2>/dev/null || true; }

check: .venv/dev .venv/bin/rowgate .venv/node/installed .venv/studio/installed ## lint, and run the tests nearest to what has changed, in a minute
	@$(BIN)/python -m tests.checking

lint: .venv/dev ## ruff, mypy, the order of imports, the lock files
	@failed=; \
	$(BIN)/ruff check . || failed="$$failed ruff"; \
	$(BIN)/ruff format --check . || failed="$$failed format"; \
	$(BIN)/mypy || failed="$$failed mypy"; \
	$(BIN)/lint-imports || failed="$$failed imports"; \
	$(BIN)/python -m tests.check_locks || failed="$$failed locks"; \
	[ -z "$$failed" ] || { echo "rowgate: these found something:$$failed"; exit 1; }

bench: .venv/dev ## measure against a bare route and against what one would write by hand
	@$(BIN)/python -m bench.run
	@$(BIN)/python -m bench.queries

bench-queries: .venv/dev ## measure what the parts of a query cost beside the plain list
	@$(BIN)/python -m bench.queries

bench-live: .venv/dev ## measure 10,000 open streams of notifications, and of changes; a crowd that hears all, somebody who comes late; and webhooks
	@for kind in notifications changes crowd backlog; do $(BIN)/python -m bench.live $$kind || exit 1; done
	@$(BIN)/python -m bench.webhooks

bench-transfers: .venv/dev ## measure how fast a million records leave
	@$(BIN)/python -m bench.transfers

bench-writes: .venv/dev ## measure what it takes to write one record, a thousand and a hundred thousand
	@$(BIN)/python -m bench.writes

bench-shapes: .venv/dev ## measure models of four shapes beside a plain one, and what three grants add to reads
	@$(BIN)/python -m bench.shapes

bench-changes: .venv/dev ## measure what the log of changes adds to writes, and what histories and undos take
	@$(BIN)/python -m bench.changes

bench-search: .venv/dev ## measure how well searches by meaning answer, and what they cost
	@for each in search_quality search_speed ranked_lists entering; do $(BIN)/python -m bench.$$each || exit 1; done

bench-peers: .venv/dev ## measure beside PocketBase, FastAPI, flask-smorest, Django REST Framework and Directus
	@$(BIN)/python -m bench.peers

bench-history: .venv/dev ## show what operations cost from version to version, out of the git history
	@$(BIN)/python -m bench.history

gate: .venv/dev ## count what operations cost, and record it in bench/gate.json
	@$(BIN)/python -m bench.gate --write

# Of another service, or with the plugins that PLUGINS names and the domains that DOMAINS does.
clients: export DESCRIPTION ?= $(if $(PLUGINS)$(DOMAINS),$(CURDIR)/build/openapi.json)
clients: .venv/dev ## generate and build the typed clients in clients/
	@[ -z "$(PLUGINS)$(DOMAINS)" ] || { mkdir -p build && $(BIN)/flask openapi write build/openapi.json; }
	@rm -rf clients/python/build clients/python/dist clients/typescript/dist
	@cd clients/typescript && PATH="$(CURDIR)/$(BIN):$$PATH" NODE_OPTIONS=--use-system-ca sh -c \
		'npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error && \
		npm run --silent generate && npm run --silent build'
	@$(BIN)/python clients/python/generate.py
	@$(BIN)/openapi-python-client generate --path clients/python/openapi.json --meta none --overwrite \
		--config clients/python/generator.yaml --output-path clients/python/rowgate_client/openapi
	@$(BIN)/pip wheel --quiet --disable-pip-version-check --no-index --no-deps --no-build-isolation \
		--wheel-dir clients/python/dist clients/python
	@echo "rowgate: the clients are in clients/typescript/dist and clients/python/dist"

studio: .venv/studio/installed ## build the studio into app/static/studio, which the repository keeps
	@cd studio && PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent build

docs: .venv/dev ## build the documentation into build/docs
	@$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo "rowgate: the documentation is at build/docs/index.html"

breaking: .venv/dev .venv/node/installed ## name what breaks clients since the last release, whose description is in docs/releases
	@set -e; mkdir -p build; last=$$(ls docs/releases/*.json | sort -V | tail -n 1); \
	NODE_MODULES="$(CURDIR)/.venv/node/node_modules" \
		$(BIN)/node tests/node/breaking.mjs "$$last" docs/openapi.json > build/breaking.txt; \
	echo "rowgate: $$(wc -l < build/breaking.txt) breaking changes since $$(basename "$$last" .json)"; cat build/breaking.txt

version: .venv/dev ## write the version TO everywhere, date its changes, and keep its description in docs/releases
	@$(BIN)/python -m publishing.version $(TO)

dist: .venv/dev ## build all that is published of the last commit into dist: packages, image, bills of materials, checksums
	@$(BIN)/python -m publishing.dist

fuzz: .venv/dev ## send made-up requests and queries for a long time, then let every fault happen under load
	@$(BIN)/pytest tests/end_to_end/test_contract.py tests/schemas/test_bodies.py --fuzz-examples 300
	@$(BIN)/pytest tests/engine/queries/test_reference_model.py tests/engine/queries/test_grants.py tests/engine/queries/test_grants_of_writes.py --numprocesses=0 --fuzz-queries 2500 --fuzz-worlds 8
	@$(BIN)/pytest tests/engine/writes/test_write_model.py --numprocesses=0 --fuzz-queries 2500 --fuzz-worlds 8
	@$(BIN)/pytest tests/engine/changes/test_random_writes.py --numprocesses=0 --fuzz-changes 100000
	@$(BIN)/pytest tests/end_to_end/test_live_lists.py -k any_writes --numprocesses=0 --fuzz-histories 500
	@$(BIN)/pytest tests/end_to_end/test_broken_off_starts.py --numprocesses=0 --fuzz-starts 50
	@$(BIN)/python -m tests.faults.run --rounds 40

generators: .venv/dev .venv/node/installed $(JAR) ## try the clients that other people's generators make; needs Java and Maven
	@$(BIN)/pytest tests/end_to_end/test_generators.py --numprocesses=0 --openapi-generator=$(JAR)

attacks: .venv/dev ## measure what others notice while one caller attacks
	@$(BIN)/python -m tests.attacks.run

mutations: .venv/dev .venv/bin/rowgate .venv/node/installed .venv/studio/installed ## make sources wrong in places that a seed has drawn, and by defects of before, and tell which tests notice (AT=commit, DEEP=1, CHECK=1)
	@$(BIN)/python -m tests.mutations.run $(if $(AT),--at $(AT)) $(if $(DEEP),--deep) $(if $(CHECK),--check)

tables: .venv/dev ## write the tables of the documentation anew
	@$(BIN)/python -m docs.generate

lock: .venv/dev ## choose the newest versions that fit together
	@$(COMPILE) --upgrade $(EXTRAS) setup.cfg -o requirements.lock
	@$(COMPILE) --upgrade $(EXTRAS) --extra dev -c requirements.lock setup.cfg -o requirements-dev.lock

clean: ## remove the environment and the embedded servers' data
	@rm -rf .venv var

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@echo "rowgate: making a virtual environment in .venv"
	@$(PYTHON) -m venv .venv

.venv/node/installed: tests/node/package-lock.json .venv/dev
	@echo "rowgate: installing the tests' counterparts from the npm registry"
	@mkdir -p .venv/node
	@cp tests/node/package.json tests/node/package-lock.json .venv/node
	@cd .venv/node && PATH="$(CURDIR)/$(BIN):$$PATH" NODE_OPTIONS=--use-system-ca \
		npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

$(JAR): Makefile
	@echo "rowgate: fetching openapi-generator $(OPENAPI_GENERATOR) from Maven Central"
	@mvn -q -B dependency:copy -DoutputDirectory="$(CURDIR)/.venv" -Dmdep.stripVersion=true \
		-Dartifact=org.openapitools:openapi-generator-cli:$(OPENAPI_GENERATOR)
	@cd .venv && echo "$(OPENAPI_GENERATOR_SHA256)  openapi-generator-cli.jar" | sha256sum --check --quiet
	@mv .venv/openapi-generator-cli.jar $@ && touch $@

.venv/studio/installed: studio/package-lock.json .venv/dev
	@echo "rowgate: installing what the studio is built with from the npm registry"
	@cd studio && PATH="$(CURDIR)/$(BIN):$$PATH" NODE_OPTIONS=--use-system-ca \
		npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
	@mkdir -p .venv/studio && touch $@

.venv/run: requirements.lock | .venv/bin/python
	@echo "rowgate: installing the pinned dependencies"
	$(call install,requirements.lock)
	@touch $@

# What the wheel brings as a command, for who works with a checkout.
.venv/bin/rowgate: Makefile | .venv/run
	@printf '%s\n' '#!$(CURDIR)/$(BIN)/python' 'import sys' '' 'sys.path.insert(0, "$(CURDIR)")' '' \
		'from wsgi import main' '' 'main()' > $@
	@chmod +x $@

.venv/dev: requirements-dev.lock | .venv/bin/python
	@echo "rowgate: installing the pinned dependencies for development"
	$(call install,requirements-dev.lock)
	@touch $@ .venv/run
