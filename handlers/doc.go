// Package handlers turns GitHub's webhook payloads into pipeline events, one
// file per event. It calls nothing but its Inbox.
package handlers
