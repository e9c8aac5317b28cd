// Package handlers turns GitHub's webhook payloads into pipeline events, one
// file per event. It calls nothing but its Inbox: a delivery that is not for
// us is dropped in memory, before any request and any key.
package handlers
