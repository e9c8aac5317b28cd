#!/bin/sh
# Runs vale, write-good and alex over the sentence mutants of the corpus: how
# often does a linter say more about the mutant than about the clean text?
# These tools see words in one file; traces, numbers and contradictions are out
# of their sight, so only the sentence rules (L10 to L32, L37, L42, L65) are
# compared. Parley's own figures are in pipeline/spec/testdata/corpus/table.md.
set -u
cd "$(dirname "$0")/.." || exit 1
if ! command -v npm >/dev/null 2>&1; then
  echo "SKIPPED: vale, write-good and alex need npm, which is not installed" >&2
  exit 0
fi
work=$(mktemp -d) || exit 1
npm=$PWD/.peers/linters
mkdir -p "$npm"
trap 'rm -rf "$work"' EXIT
go test ./pipeline/spec -run '^TestCorpusExport$' -count=1 -corpus-dir="$work/corpus" >/dev/null || exit 1
if ! npm install --silent --no-audit --no-fund --prefix "$npm" write-good@1.0.8 alex@11.0.1 >/dev/null 2>&1; then
  echo "SKIPPED: npm could not install write-good and alex" >&2
  exit 0
fi
npm install --silent --no-audit --no-fund --prefix "$npm" @vvago/vale@3 >/dev/null 2>&1 \
  || echo "vale is left out: npm could not install it" >&2
bin=$npm/node_modules/.bin
printf 'MinAlertLevel = suggestion\n[*.md]\nBasedOnStyles = Vale\n' > "$work/.vale.ini"

# remarks TOOL FILE: how many lines the tool says about the file
remarks() {
  case $1 in
    write-good) "$bin/write-good" --parse "$2" 2>/dev/null | wc -l ;;
    alex)       "$bin/alex" "$2" 2>&1 | grep -c 'warning' ;;
    vale)       "$bin/vale" --config "$work/.vale.ini" --output line "$2" 2>/dev/null | wc -l ;;
  esac
}

echo "| Rule | Mutants | write-good | alex | vale |"
echo "| --- | ---: | ---: | ---: | ---: |"
for rule in $(ls "$work/corpus" | cut -d- -f1 | sort -u); do
  n=0 w=0 a=0 v=0
  # Two domains tell enough; each call starts a process.
  for dir in "$work/corpus/$rule"-billing-* "$work/corpus/$rule"-chat-*; do
    [ -d "$dir" ] || continue
    n=$((n + 1))
    [ "$(remarks write-good "$dir/mutant.md")" -gt "$(remarks write-good "$dir/clean.md")" ] && w=$((w + 1))
    [ "$(remarks alex "$dir/mutant.md")" -gt "$(remarks alex "$dir/clean.md")" ] && a=$((a + 1))
    [ -x "$bin/vale" ] && [ "$(remarks vale "$dir/mutant.md")" -gt "$(remarks vale "$dir/clean.md")" ] && v=$((v + 1))
  done
  [ -x "$bin/vale" ] || v=–
  echo "| $rule | $n | $w | $a | $v |"
done
