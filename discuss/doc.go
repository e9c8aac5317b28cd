// Package discuss has several perspectives criticise an artifact and turns
// their answers into one verdict, a record and a ledger of findings.
package discuss
