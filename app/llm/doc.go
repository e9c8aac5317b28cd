// Package llm is the only code that calls models. A Client takes a prompt
// through its slot's chain of backends: untrusted text is sanitised and fenced,
// answers are read tolerantly and checked, a violation gets two repair turns,
// then the next backend is asked, and at the end ErrNoModel sends the caller to
// its rules. Cache, budgets, concurrency, prices and redaction live here; a
// model process holds no token, no tool and none of the service's environment.
package llm
