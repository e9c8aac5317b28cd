package pipeline

import (
	"crypto/sha1"
	"encoding/hex"
	"strconv"
)

// BlobID is the id git gives a file's content.
func BlobID(content []byte) string {
	h := sha1.New()
	h.Write([]byte("blob " + strconv.Itoa(len(content)) + "\x00"))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
