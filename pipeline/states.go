package pipeline

// table says what every event does in every phase of a session; doc.go draws
// it. A nil cell drops the event: it is late, or it is nobody's.
var table = map[EventKind][phases]step{
	//                    none       preparing  active      paused      completed   aborted
	EventStart:         {begin, seen, seen, relabelled, again, again},
	EventCommand:       {unasked, hurried, slash, slash, slash, slash},
	EventUnlabelled:    {nil, abandon, held, nil, nil, nil},
	EventIssueEdited:   {nil, nil, reread, reread, nil, nil},
	EventIssueClosed:   {nil, abandon, held, nil, nil, nil},
	EventIssueReopened: {nil, nil, nil, unhold, nil, nil},
	EventIssueMoved:    {nil, abandon, moved, moved, moved, nil},
	EventPullClosed:    {nil, nil, pullClosed, pullClosed, pullClosed, pullClosed},
	EventPullMerged:    {nil, nil, pullMerged, pullMerged, pullMerged, pullMerged},
	EventPullReopened:  {nil, nil, pullReopened, pullReopened, pullReopened, pullReopened},
	EventRetargeted:    {nil, nil, showAgain, retargeted, retargeted, nil},
	EventPushed:        {nil, nil, pushed, pushed, pushed, nil},
	EventEdited:        {nil, nil, edited, edited, edited, nil},
	EventThread:        {nil, nil, thread, thread, thread, nil},
	EventRerequested:   {nil, nil, showAgain, rerequested, rerequested, nil},
	EventMergeGroup:    {otherGroup, nil, mergeGroup, mergeGroup, mergeGroup, mergeGroup},
	EventPanelLost:     {nil, nil, panelLost, panelLost, panelLost, nil},
	EventSuspended:     {nil, abandon, held, nil, nil, nil},
	EventUnsuspended:   {nil, nil, nil, unhold, nil, nil},
	EventRemoved:       {nil, removed, removed, removed, removed, removed},
	EventOtherPull:     {otherPull, nil, nil, nil, nil, nil},
	EventConfigPushed:  {configPushed, nil, nil, nil, nil, nil},
	EventHeadRead:      {headRead, headRead, headRead, headRead, headRead, headRead},
	EventRenamed:       {nil, renamed, renamed, renamed, renamed, renamed},
	EventPrepared:      {nil, prepared, refreshed, refreshed, refreshed, nil},
	EventDone:          {nil, nil, done, done, done, nil},
	EventFailed:        {undelivered, prepareFailed, failed, failed, failed, undelivered},
	EventDelivered:     {delivered, delivered, delivered, delivered, delivered, delivered},
	EventRefused:       {nil, nil, refused, refused, refused, refused},
	EventTimer:         {nil, prepareLate, timer, timer, nil, nil},
	EventDead:          {nil, nil, dead, dead, dead, nil},
	EventRebuilt:       {rebuilt, rebuilt, switched, switched, switched, switched},
}

// Conclude is the state of the gate's check run: its status and, where that is
// completed, its conclusion.
func Conclude(s Session) (status, conclusion string) {
	gate := gateOf(s)
	return gate.status, gate.conclusion
}

// AcceptedBy is the acceptance that stands behind the present gate, nil when
// nobody took its risk or it was judged again since.
func (s Session) AcceptedBy() *Acceptance {
	if s.Gate == nil {
		return nil
	}
	q := s.latest("QUALITY-001")
	for i := len(s.Accepted) - 1; i >= 0; i-- {
		a := s.Accepted[i]
		if a.Finding != "" || a.Gate != s.Gate.Result {
			continue
		}
		if q == nil || q.CompletedAt == nil || a.At.Before(*q.CompletedAt) {
			return nil
		}
		return &a
	}
	return nil
}

// NeedsSession tells the deliveries that mean nothing where there is no session: an
// inbox drops them there, so that an organisation's other issues and pull
// requests leave no trace.
func NeedsSession(ev Event) bool {
	switch {
	case ev.Delivery == "": // our own news, and what rebuilds a lost session
		return false
	case ev.Kind == EventMergeGroup:
		return !ev.Others
	case ev.Kind == EventCommand:
		return ev.Command == nil || !ev.Command.Prefixed
	}
	return table[ev.Kind][0] == nil
}

// NeedsPermission tells the events whose actor's standing Advance must know.
func NeedsPermission(ev Event) bool { return needsPermission[ev.Kind] }

var needsPermission = map[EventKind]bool{
	EventStart: true, EventCommand: true, EventThread: true, EventRerequested: true,
}
