package pipeline

import "slices"

// A finding has one review thread for the life of its session: closed when the
// finding is fixed or accepted, opened again when it is back.

// postReview posts a round's review. Findings that have a thread already are
// named in it and get no second one.
func (t *turn) postReview(task Task, v Verdict) {
	body, remarks := ReviewText(t.s, task, v)
	for _, r := range remarks {
		if t.s.Posted.Threads == nil {
			t.s.Posted.Threads = map[string]string{}
		}
		t.s.Posted.Threads[r.Finding] = "" // on its way
	}
	t.write(Write{Kind: WriteReview, Body: body, Review: &ReviewWrite{
		Marker: t.s.ID + "/" + string(v.Round) + "/r" + itoa(max(v.Run, 1)), Comments: remarks,
	}})
}

// reviewed keeps the threads that a review opened. One whose finding was
// settled meanwhile is closed at once, and all are where the gate is green.
func reviewed(t *turn, d Receipt) {
	p := &t.s.Posted
	var late []string
	for _, id := range sorted(d.Threads) {
		known, expected := p.Threads[id]
		if known != "" || !expected && t.finding(id) < 0 {
			continue
		}
		if p.Threads == nil {
			p.Threads = map[string]string{}
		}
		if p.Roots == nil {
			p.Roots = map[string]string{}
		}
		p.Threads[id], p.Roots[id] = d.Threads[id], d.Roots[id]
		if _, settled := p.Closed[id]; settled {
			late = append(late, d.Threads[id])
		}
	}
	if len(late) > 0 {
		t.write(Write{Kind: WriteResolve, Threads: late, Ornament: true})
	}
	if _, conclusion := Conclude(t.s); conclusion == "success" {
		t.resolveAll()
	}
}

// Rethread gives a session that was read back from its branch the threads its
// findings have on the pull request, so that none gets a second one. Where a
// thread is resolved and its finding still counts, only the green gate did it.
func (s *Session) Rethread(threads []Thread) {
	p := &s.Posted
	p.Threads, p.Roots, p.Closed = map[string]string{}, map[string]string{}, map[string]bool{}
	for _, th := range threads {
		if th.Finding == "" {
			continue
		}
		p.Threads[th.Finding], p.Roots[th.Finding] = th.ID, th.Root
		if th.Resolved {
			p.Closed[th.Finding] = slices.ContainsFunc(s.Findings, func(f OpenFinding) bool {
				return f.ID == th.Finding && f.State != FindingAccepted
			})
		}
	}
	if len(p.Threads) == 0 {
		p.Threads, p.Roots = nil, nil
	}
	if len(p.Closed) == 0 {
		p.Closed = nil
	}
}

// unposted forgets the threads that were expected of a review which can never
// be posted: the next one carries those findings.
func (t *turn) unposted() {
	for id, thread := range t.s.Posted.Threads {
		if thread == "" {
			delete(t.s.Posted.Threads, id)
		}
	}
	if len(t.s.Posted.Threads) == 0 {
		t.s.Posted.Threads = nil
	}
}

// resolveFixed closes the threads of findings that were fixed or accepted.
func (t *turn) resolveFixed(ids []string) {
	if threads := t.closeThreads(ids, false); len(threads) > 0 {
		t.write(Write{Kind: WriteResolve, Threads: threads, Ornament: true})
	}
}

// resolveAll resolves what is open at success: repositories may require it.
func (t *turn) resolveAll() {
	if threads := t.closeThreads(sorted(t.s.Posted.Threads), true); len(threads) > 0 {
		t.write(Write{Kind: WriteResolve, Threads: threads, Body: closingLine, Ornament: true})
	}
}

// closeThreads marks threads as closed, for the green gate's sake or because
// their finding is settled, and returns those that were open.
func (t *turn) closeThreads(ids []string, green bool) []string {
	p := &t.s.Posted
	var open []string
	for _, id := range ids {
		thread, known := p.Threads[id]
		if !known {
			continue
		}
		if p.Closed == nil {
			p.Closed = map[string]bool{}
		}
		_, closed := p.Closed[id]
		p.Closed[id] = green && (!closed || p.Closed[id])
		if !closed && thread != "" {
			open = append(open, thread)
		}
	}
	return open
}

// reopenThreads opens the closed threads of findings that are back. One that
// only the green gate closed stays so until a round is blocked.
func (t *turn) reopenThreads(v Verdict) {
	p := &t.s.Posted
	var threads []string
	for _, f := range v.Findings {
		green, closed := p.Closed[f.ID]
		if !closed || !f.counts() || green && v.Consensus != ConsensusBlocked {
			continue
		}
		t.openThread(f.ID)
		if p.Threads[f.ID] != "" {
			threads = append(threads, p.Threads[f.ID])
		}
	}
	if len(threads) > 0 {
		t.write(Write{Kind: WriteUnresolve, Threads: threads, Ornament: true})
	}
}

// openThread takes a finding's thread as open again.
func (t *turn) openThread(id string) {
	if delete(t.s.Posted.Closed, id); len(t.s.Posted.Closed) == 0 {
		t.s.Posted.Closed = nil
	}
}

// findingOf is the finding whose thread this is, by the thread's id or the
// number of its first comment; "" for a thread of people's.
func (t *turn) findingOf(thread string) string {
	if thread == "" {
		return ""
	}
	for id, own := range t.s.Posted.Threads {
		if own == thread || t.s.Posted.Roots[id] == thread {
			return id
		}
	}
	return ""
}
