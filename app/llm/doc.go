// Package llm is the only code that calls models.
package llm
