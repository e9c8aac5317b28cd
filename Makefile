# parley: make help lists what can be done here.
SHELL := /bin/sh
GO ?= go
BIN := bin/parley
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
KUSTOMIZE := sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
SAMPLE ?= well-written
# The race detector needs a C compiler; CI must have one.
CC_FOUND := $(shell command -v $${CC:-cc} 2>/dev/null)
RACE := $(if $(CC_FOUND),-race,)

.PHONY: help build try test check bench figures soak mutants test-peers redis race-or-reason clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

build: ## build bin/parley
	@mkdir -p bin
	@$(GO) build -ldflags "-s -w" -o $(BIN) ./cmd/parley

try: build ## run a session on a sample issue: SAMPLE=well-written, vague or risky
	@$(BIN) try cmd/parley/samples/$(SAMPLE).md --mode spec-only

test: redis race-or-reason ## run the whole suite against a real redis-server
	@$(GO) test -timeout 40m $(RACE) ./...

check: ## formatting, vet, staticcheck, manifests; runs no tests
	@files=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$files" ]; then echo "gofmt -w these:"; echo "$$files"; exit 1; fi
	@$(GO) vet ./...
	@$(GO) run $(STATICCHECK) ./...
	@if [ -f deploy/kustomize/base/kustomization.yaml ]; then $(GO) run $(KUSTOMIZE) build deploy/kustomize/base >/dev/null && echo "kustomize: renders"; fi
	@if command -v promtool >/dev/null; then promtool check rules deploy/alerts.yml; else echo "promtool is not here: alert rules are checked for metric names only"; fi
	@if command -v systemd-analyze >/dev/null; then ! systemd-analyze verify deploy/parley.service 2>&1 | grep 'parley\.service' | grep -v 'is not executable'; else echo "systemd-analyze is not here: the unit file is not verified"; fi

bench: build redis ## measure every number of the README and write bench.json
	@$(GO) -C deploy/bench build -o ../../bin/bench . && bin/bench -root .
	@sh deploy/linters.sh

figures: bench ## measure, and write the numbers into the README
	@bin/bench -root . -figures

soak: redis ## 1,000 crash schedules, a three-node Redis Cluster, a Sentinel failover, a takeover
	@PARLEY_SOAK=1 $(GO) test -timeout 80m -v -run 'Crash|Cluster|Sentinel|ProductionTimes' ./app/redisstore/

mutants: redis ## break Advance and the tally on purpose; the suite must turn red
	@PARLEY_MUTANTS=1 $(GO) test -timeout 60m -v -run Mutants ./pipeline/ ./discuss/

test-peers: redis ## conformance against GitHub's own descriptions, the vendors' real CLIs and what reads the documents
	@sh deploy/peers.sh

# redis-tools carries the server too, as redis-check-rdb, and starts no service.
redis:
	@if command -v redis-server >/dev/null || command -v redis-check-rdb >/dev/null; then exit 0; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "installing redis-tools (the tests run a real redis-server)"; \
	  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-tools) >/dev/null; exit $$?; \
	fi; \
	echo "the tests run a real redis-server and none is here; type: sudo apt-get install redis-tools"; exit 1

race-or-reason:
	@if [ -z "$(RACE)" ]; then \
	  if [ -n "$$CI" ]; then echo "no C compiler: CI must run the race detector; install gcc"; exit 1; fi; \
	  echo "no C compiler: running WITHOUT the race detector"; fi

clean: ## remove what was built
	@rm -rf bin parley-out .cache
