// Package storetest is the conformance suite every Store must pass.
package storetest
