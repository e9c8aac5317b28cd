package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"github.com/redis/go-redis/v9"
)

// serveBare is the least that can be called a webhook: verify the signature,
// push the delivery to Redis, answer when Redis has it.
func serveBare(address, socket string) error {
	db := redis.NewClient(&redis.Options{Network: "unix", Addr: socket, PoolSize: 64})
	return http.ListenAndServe(address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "the body was cut off", http.StatusBadRequest)
			return
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write(body)
		want := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if !hmac.Equal([]byte(want), []byte(r.Header.Get("X-Hub-Signature-256"))) {
			http.Error(w, "wrong signature", http.StatusBadRequest)
			return
		}
		entry := fmt.Sprintf("%s\n%s\n%s", r.Header.Get("X-GitHub-Event"), r.Header.Get("X-GitHub-Delivery"), body)
		if err := db.RPush(r.Context(), "queue", entry).Err(); err != nil {
			http.Error(w, "not stored", http.StatusServiceUnavailable)
		}
	}))
}
