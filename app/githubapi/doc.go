// Package githubapi is the only code that calls GitHub.
package githubapi
