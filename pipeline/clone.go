package pipeline

import (
	"maps"
	"slices"
)

// clone copies all that Advance may change in place, so that its argument
// stays as it was.
func clone(s Session) Session {
	s.Focus = slices.Clone(s.Focus)
	s.FrontendSignals = slices.Clone(s.FrontendSignals)
	s.Tasks = slices.Clone(s.Tasks)
	for i := range s.Tasks {
		t := &s.Tasks[i]
		t.BlockedBy = slices.Clone(t.BlockedBy)
		t.Notes = slices.Clone(t.Notes)
	}
	s.Left = slices.Clone(s.Left)
	s.ActiveWorkers = slices.Clone(s.ActiveWorkers)
	s.CompletedTasks = slices.Clone(s.CompletedTasks)
	s.RevisionChains = maps.Clone(s.RevisionChains)
	s.LoopErrors = maps.Clone(s.LoopErrors)
	s.WisdomEntries = slices.Clone(s.WisdomEntries)
	s.CheckpointsHit = slices.Clone(s.CheckpointsHit)
	s.Accepted = slices.Clone(s.Accepted)
	s.Questions = slices.Clone(s.Questions)
	s.Findings = slices.Clone(s.Findings)
	s.Rules = maps.Clone(s.Rules)
	s.Warnings = slices.Clone(s.Warnings)
	s.Suspects = slices.Clone(s.Suspects)
	s.Pending = slices.Clone(s.Pending)
	s.Earlier = slices.Clone(s.Earlier)
	s.Commands = slices.Clone(s.Commands)
	s.Problems = slices.Clone(s.Problems)
	s.Notices = slices.Clone(s.Notices)
	s.Manifest.Waiting = slices.Clone(s.Manifest.Waiting)
	s.Manifest.Files = maps.Clone(s.Manifest.Files)
	s.Posted.Threads = maps.Clone(s.Posted.Threads)
	s.Posted.Roots = maps.Clone(s.Posted.Roots)
	s.Posted.Closed = maps.Clone(s.Posted.Closed)
	s.Posted.Undone = slices.Clone(s.Posted.Undone)
	if s.Gate != nil {
		g := *s.Gate
		s.Gate = &g
	}
	if s.Wait != nil {
		w := *s.Wait
		s.Wait = &w
	}
	return s
}
