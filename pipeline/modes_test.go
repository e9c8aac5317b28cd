package pipeline

import (
	"slices"
	"testing"
)

// TestSideTasksStayOff holds the architect's rows against the tables they will
// join with the implementation half, and out of every mode until then.
func TestSideTasksStayOff(t *testing.T) {
	for _, side := range sideTasks {
		if d, ok := dutyOf(side.id); !ok || d.role != side.owner || !d.later {
			t.Errorf("%s belongs to %s, its duty says %+v", side.id, side.owner, d)
		}
		needed := false
		for mode, rows := range modes {
			for _, r := range rows {
				needed = needed || slices.Contains(side.blockedBy, r.id)
				if r.id == side.id || slices.Contains(r.blockedBy, side.id) {
					t.Errorf("%s: %s has begun to count", mode, side.id)
				}
			}
		}
		if !needed {
			t.Errorf("%s hangs on %v, which no mode has", side.id, side.blockedBy)
		}
	}
}
