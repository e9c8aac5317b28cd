#!/bin/sh
# Installs what others publish about themselves (GitHub's descriptions, the
# model vendors' command-line tools) and what reads the documents (markdownlint,
# mermaid, SARIF's validator), and holds Parley against it. Nothing of it
# is copied into the repository, and npm's own configuration says where it is from.
set -eu
cd "$(dirname "$0")/.."
GO=${GO:-go}
peers="$PWD/.peers"
descriptions='@octokit/openapi@23.0.2 @octokit/graphql-schema@15.26.1 @octokit/webhooks-examples@7.6.1'
readers='markdownlint-cli2@0.24.1 mermaid@12.3.0 jsdom@25.0.1 @microsoft/sarif-multitool-linux@5.7.0'
tools='@anthropic-ai/claude-code@2.1.197 @openai/codex@0.169.0 @google/gemini-cli@0.61.0'

if ! command -v npm >/dev/null; then
	echo '*** npm IS NOT HERE: GitHub'"'"'s descriptions, the real model tools and the documents'"'"' readers are NOT CHECKED. Install npm and run: make test-peers ***' >&2
	[ -z "${CI:-}" ] || exit 1
	exit 0
fi
mkdir -p "$peers"
if [ "$(cat "$peers/installed" 2>/dev/null || true)" != "$descriptions $readers $tools" ]; then
	echo 'installing the peers into .peers (about 1.4 GB)'
	rm -f "$peers/installed"
	echo '{"private":true}' >"$peers/package.json"
	# Install scripts stay off: the packages work without them.
	# shellcheck disable=SC2086 # the lists are words
	npm install --prefix "$peers" --ignore-scripts --no-audit --no-fund --loglevel error $descriptions $readers $tools
	# These only put the binary that came along in its place.
	node "$peers/node_modules/@anthropic-ai/claude-code/install.cjs"
	chmod u+x "$peers/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool"
	echo "$descriptions $readers $tools" >"$peers/installed"
fi

# Whole packages, so that every exchange of their tests with the simulator is
# held against the descriptions, not those of a few chosen tests.
log="$peers/log"
PARLEY_TEST_PEERS="$peers" "$GO" test -count=1 -timeout 30m -v ./app/githubsim/... ./app/githubapi ./app ./cmd/parley >"$log" 2>&1 &&
	PARLEY_TEST_PEERS="$peers" "$GO" test -count=1 -timeout 30m -v -run 'RealTools|GitHubsExamples' ./app/llm ./handlers ./cmd/parley >>"$log" 2>&1 || {
	grep -v -e '^=== ' -e '--- PASS' -e '--- SKIP' -e 'no test files' "$log"
	exit 1
}
if grep 'run make test-peers' "$log"; then
	echo 'a test did not find the peers' >&2
	exit 1
fi
grep -E -e '^ok ' -e '^ *--- PASS: Test(RealTools|GitHubsExamples|DocumentsAreValid|SchemaIsGitHubs|Recorder)' "$log"
