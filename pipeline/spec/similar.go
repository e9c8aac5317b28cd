package spec

import (
	"hash/fnv"
	"slices"
)

// similarPairs finds the pairs of sets whose Jaccard similarity reaches the
// threshold. Sets are sorted hashes. Two sets that alike share one of their
// first elements, so that only such pairs are compared: the cost stays near
// linear.
func similarPairs(sets [][]uint64, threshold float64) [][2]int {
	var out [][2]int
	index := map[uint64][]int{}
	for i, set := range sets {
		prefix := min(len(set), int(float64(len(set))*(1-threshold))+1)
		seen := map[int]bool{}
		for _, h := range set[:prefix] {
			for _, j := range index[h] {
				if !seen[j] {
					seen[j] = true
					if jaccard(sets[j], set) >= threshold {
						out = append(out, [2]int{j, i})
					}
				}
			}
			// A hash that very many sets share tells nothing.
			if len(index[h]) < 50 {
				index[h] = append(index[h], i)
			}
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return out
}

func jaccard(a, b []uint64) float64 {
	both, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			both++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

func hashed(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s)) // never fails
	return h.Sum64()
}

// hashedSet is a word set as sorted hashes.
func hashedSet(words map[string]bool) []uint64 {
	out := make([]uint64, 0, len(words))
	for w := range words {
		out = append(out, hashed(w))
	}
	slices.Sort(out)
	return out
}

// shingles are the runs of three words of a text, as sorted hashes.
func shingles(words []string) []uint64 {
	var out []uint64
	for i := 0; i+2 < len(words); i++ {
		out = append(out, hashed(words[i]+" "+words[i+1]+" "+words[i+2]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
