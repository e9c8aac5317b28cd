// Package conform holds exchanges on the simulator's API against what GitHub
// publishes about itself: its OpenAPI description, requests and answers alike,
// and its GraphQL schema. Only tests use it.
package conform
