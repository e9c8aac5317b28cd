package pipeline

import "time"

// Bucket is what is known of one of GitHub's limits for one installation,
// shared by all replicas.
type Bucket struct {
	Limit     int       `json:"limit,omitempty"`
	Remaining int       `json:"remaining,omitempty"`
	Reset     time.Time `json:"reset,omitzero"`
	// Hold is until when GitHub told us to stay away.
	Hold time.Time `json:"hold,omitzero"`
	// Strikes counts refusals in a row that named no time to wait.
	Strikes int `json:"strikes,omitempty"`
}

// Spend asks to count N against a sliding window of a bucket.
type Spend struct {
	Bucket string
	N      int
	Limit  int
	Window time.Duration
}
