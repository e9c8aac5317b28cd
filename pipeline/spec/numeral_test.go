package spec

import "testing"

func TestNumbersAndTheirNouns(t *testing.T) {
	tests := []struct{ got, want string }{
		{Count(0, "story"), "0 stories"},
		{Count(1, "story"), "1 story"},
		{Count(2, "criterion"), "2 criteria"},
		{Count(3, "delivery"), "3 deliveries"},
		{Count(2, "key"), "2 keys"},
		{Count(2, "goal"), "2 goals"},
		{outOf(1, 1, "goal", "reaches a story", "reach a story"), "1 of 1 goal reaches a story"},
		{outOf(1, 4, "goal", "reaches a story", "reach a story"), "1 of 4 goals reaches a story"},
		{outOf(0, 4, "goal", "reaches a story", "reach a story"), "0 of 4 goals reach a story"},
		{outOf(3, 3, "ask", "covered", "covered"), "3 of 3 asks covered"},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}
