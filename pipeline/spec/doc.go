// Package spec reads, renders and judges specification documents: items with
// ids, the trace graph, the rules, the ratings and the five dimensions. It does no I/O.
package spec
