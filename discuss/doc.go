// Package discuss has several perspectives criticise an artifact and turns
// their answers into one verdict, a record and a ledger of findings.
//
// A round goes one way, in critic.go:
//
//	convene   round table, scope, ledger          rounds.go scope.go ledger.go
//	ask       one blind call per perspective      voice.go prompt.go
//	            a model's answer is checked,      answer.go quotes.go model.go
//	            else the rules answer             lint.go rules.go
//	conclude  merge, settle the ledger, tally     merge.go ledger.go tally.go options.go
//	judgement record and ledger as texts          record.go words.go
//
// Nothing a model says decides anything by itself: quotes that are not in the
// text are dropped, its rating is computed from its answers, rules cap it and
// keep what they found missing, and the verdict is arithmetic over whole
// numbers that depends on nothing else.
//
// The Discussant holds the talks people ask for with /discuss; they judge
// nothing. Results tallies answers given in a file.
package discuss
