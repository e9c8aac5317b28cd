#!/bin/sh
# Runs write-good, alex and vale over the sentence mutants of the corpus: how
# often does a linter say more about the mutant than about the clean text?
# These tools see words in one file; traces, numbers and contradictions are out
# of their sight, so only the rules that a sentence can break are compared.
set -u
cd "$(dirname "$0")/.." || exit 1
GO=${GO:-go}
table=$PWD/pipeline/spec/testdata/corpus/table.md
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
peers=$PWD/.peers/linters
vale=github.com/vale-cli/vale/v3/cmd/vale@v3.21.0
mkdir -p "$peers"
"$GO" test ./pipeline/spec -run '^TestCorpusExport$' -count=1 -corpus-dir="$work/corpus" >/dev/null || exit 1

loud() { echo "*** $1 ***" >&2; }
if ! command -v npm >/dev/null 2>&1; then
  loud 'npm IS NOT HERE: write-good and alex are NOT COMPARED'
elif ! npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$peers" write-good@1.0.8 alex@11.0.1 >/dev/null 2>&1; then
  loud 'write-good and alex COULD NOT BE INSTALLED: they are NOT COMPARED'
fi
# Vale's npm packages fetch a binary from elsewhere; the Go module is the program itself.
if [ ! -x "$peers/bin/vale" ] && ! GOBIN=$peers/bin "$GO" install "$vale" >"$work/vale.log" 2>&1; then
  loud "vale COULD NOT BE BUILT: it is NOT COMPARED ($(tail -n 1 "$work/vale.log"))"
fi
printf 'MinAlertLevel = suggestion\n[*.md]\nBasedOnStyles = Vale\n' > "$work/vale.ini"

# Each tool reads all files at once; what it says becomes one path a remark.
cd "$work/corpus" || exit 1
said() { sed -n 's|^\(L[0-9]*-[^/]*/[a-z]*\.md\):[0-9][0-9]*:.*|\1|p'; }
bin=$peers/node_modules/.bin
[ -x "$bin/write-good" ] && "$bin/write-good" --parse ./*/*.md 2>/dev/null | sed 's|^\./||' | said > "$work/write-good"
[ -x "$bin/alex" ] && "$bin/alex" */*.md 2>&1 | awk '/^[^ ]*\.md/ { at = $1 } /warning/ { print at }' > "$work/alex"
[ -x "$peers/bin/vale" ] && "$peers/bin/vale" --config "$work/vale.ini" --output line */*.md 2>/dev/null | said > "$work/vale"

# caught TOOL RULE: of how many mutants the tool says more than of the clean text
caught() {
  [ -f "$work/$1" ] || { echo –; return; }
  awk -v rule="$2" -F/ '
    index($1, rule "-") == 1 { n[$1, $2]++; dir[$1] = 1 }
    END { for (d in dir) if (n[d, "mutant.md"] > n[d, "clean.md"]) k++; print k + 0 }' "$work/$1"
}

echo "Mutants of one sentence that each tool says more about than about the clean text:"
echo
echo "| Rule | What | Mutants | Parley: recall, held out | write-good | alex | vale |"
echo "| --- | --- | ---: | ---: | ---: | ---: | ---: |"
rules=$(printf '%s\n' * | cut -d- -f1 | sort -u)
for rule in $rules; do
  ours=$(awk -F' *[|] *' -v rule="$rule" '$2 == rule { print $3 " | %s | " $4 " / " $6 }' "$table")
  # shellcheck disable=SC2059 # the table's row is the format
  printf "| $rule | $ours | %s | %s | %s |\n" "$(printf '%s\n' "$rule"-* | wc -l)" "$(caught write-good "$rule")" "$(caught alex "$rule")" "$(caught vale "$rule")"
done
all=$(grep -c '^| L[0-9]' "$table")
echo
echo "$((all - $(printf '%s\n' "$rules" | wc -l))) of $all rules look beyond a sentence (sections, ids, traces, numbers against each other, other files): no linter of prose can see them."
echo "vale has its own style (spelling, repeated words); its styles of other kinds are packages that it downloads."
