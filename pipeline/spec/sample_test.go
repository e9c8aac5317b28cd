package spec

// A complete small specification, used by many tests.

func sampleHead() Head {
	return Head{SessionID: "TLS-retry-2026-11-21", Status: "complete", GeneratedAt: "2026-11-21T09:00:00Z", Steps: []string{"load-context", "generation"}, Version: 1}
}

func sampleBrief() Brief {
	return Brief{
		Head: sampleHead(), Title: "Retry failed webhooks", Summary: "Failed deliveries are lost today. The service will send them again.",
		Vision:    "Every webhook that a customer's endpoint refuses for a while still arrives, without anybody doing anything by hand.",
		Situation: "A delivery that fails once is dropped. In October 2026 this hit 4.1 % of 1.2 million deliveries.",
		Impact:    "Support answers about 40 tickets per week and replays deliveries by hand.",
		Users: []Persona{{Name: "Operator", Role: "runs the service on call", Needs: []string{"see why a delivery failed"},
			PainPoints: []string{"replays by hand"}, SuccessCriteria: []string{"no manual replay in a month"}}},
		Goals: []Goal{{"G-001", "Fewer lost deliveries", "share of deliveries never received", "below 0.1 % by 2027-03-31"},
			{"G-002", "Operators see failures", "time to find the cause", "under 5 minutes by 2027-03-31"}},
		InScope: []string{"retries of failed deliveries", "a list of failed deliveries"}, OutOfScope: []string{"new event types", "a mobile app"},
		Assumptions: []string{"customers keep their endpoints idempotent"},
		Landscape:   []LandscapeRow{{"Retry", "none", "six attempts", "fewer lost deliveries"}},
		Technical:   []string{"runs on the existing PostgreSQL 16 cluster, no new database"}, Business: []string{"no price change in this year's plans"},
		Depends:    []string{"the delivery log of the gateway, which the platform team owns"},
		Synthesis:  Synthesis{Product: []string{"lost deliveries cost trust"}, Technical: []string{"the queue exists"}, User: []string{"operators want reasons"}, Convergent: []string{"bounded retries"}, Conflicting: []string{"how long to keep payloads"}},
		Open:       []string{"How long is a payload kept? 72 hours are assumed."},
		References: []string{"[discovery](discovery-context.json)"},
	}
}

func sampleRequirements() Requirements {
	return Requirements{
		Head: sampleHead(), Title: "Retry failed webhooks", Summary: "Three requirements and one quality bound.",
		Reqs: []Requirement{
			{ID: "REQ-001", Title: "Retry a failed delivery", Priority: "Must", TracesTo: []string{"G-001"}, Description: "The service MUST send a failed delivery again after 30 seconds.",
				Source: Source{14, "Failed deliveries must be sent again"}, Story: Story3{"customer", "get a delivery again", "nothing is lost"},
				Criteria: []Criterion{{"AC-001-01", "Given a 503 answer, when 30 seconds pass, then the service sends the delivery again.", false}}},
			{ID: "REQ-002", Title: "Show the reason", Priority: "Should", TracesTo: []string{"G-002"}, Description: "The service SHOULD show an operator the last HTTP status of each failed delivery.",
				Source: Source{16, "Operators should see why"}, Story: Story3{"operator", "see the status", "the cause is found"},
				Criteria: []Criterion{{"AC-002-01", "The list shows the status 503 after a 503 answer.", false}}},
		},
		NFRs: []NFR{{ID: "NFR-P-001", Title: "Retry delay", Category: "P", Priority: "Must", TracesTo: []string{"G-001"},
			Statement: "The service MUST begin 99 % of retries within 5 seconds of their due time at 500 deliveries per second.", Metric: "delay of a retry", Target: "5 s at the 99th percentile", Method: "load test of one hour"}},
		Entities: []Entity{{"Delivery", "one attempt series", "id, status, due"}}, Flows: []string{"gateway to queue to endpoint"},
		Integrations:  []Integration{{"Gateway", "in", "HTTP", "JSON", "existing"}},
		Constraints:   []string{"PostgreSQL 16 stays the store"},
		Assumptions:   []string{"endpoints are idempotent"},
		Rationale:     "REQ-001 stops the loss; REQ-002 shortens the search.",
		Goals:         []Goal{{ID: "G-001", Text: "Fewer lost deliveries"}, {ID: "G-002", Text: "Operators see failures"}},
		NotApplicable: []string{"Usability: no screen is added"},
		Open:          []string{"Who may replay by hand?"},
	}
}

func sampleArchitecture() Architecture {
	return Architecture{
		Head: sampleHead(), Title: "Retry failed webhooks", Summary: "One worker and one table.", Style: "A worker beside the gateway that reads due deliveries from one table of the existing database.",
		Components: []Component{{"Retry worker", "sends due deliveries again and records each answer", "Go 1.26", []string{"PostgreSQL", "Gateway"}, []string{"REQ-001", "NFR-P-001"}},
			{"Gateway", "lists failed deliveries", "Go 1.26", []string{"PostgreSQL"}, []string{"REQ-002"}}},
		Stack:     []StackRow{{"Backend", "Go", "1.26", "what the gateway is written in"}, {"Database", "PostgreSQL", "16", "already there"}},
		Libraries: []Library{{"pgx", "database driver", "MIT"}},
		ADRs: []ADR{{ID: "ADR-001", Title: "Queue in the database", Status: "Accepted", Date: "2026-11-21", TracesTo: []string{"REQ-001", "NFR-P-001"},
			Context: "Deliveries must survive a restart.", Decision: "Due deliveries are rows of one table, taken with SKIP LOCKED.",
			Options:  []Option{{"Table in PostgreSQL", "no new service", "polling"}, {"Separate broker", "push", "one more thing to run"}},
			Positive: []string{"one backup"}, Negative: []string{"polling load of 2 queries per second"}, Risks: []string{"table growth"}},
			{ID: "ADR-002", Title: "Status in the list", Status: "Proposed", Date: "2026-11-21", TracesTo: []string{"REQ-002"}, Context: "Operators look at the list.", Decision: "The list reads the last status from the delivery row.",
				Options:  []Option{{"Read the row", "fresh", "one more column"}, {"Parse logs", "no change", "slow"}},
				Positive: []string{"no join"}, Negative: []string{"a wider row"}}},
		Entities: []Entity{{"Delivery", "one attempt series", "id, status, due"}, {"Endpoint", "where it goes", "id, url"}}, Relations: []Relation{{"Endpoint", "Delivery", "has many"}},
		Storage: []StorageRow{{"rows", "PostgreSQL", "72 h", "daily"}}, Endpoints: []Endpoint{{"/deliveries/failed", "GET", "failed deliveries with their last status", "operator token"}},
		Controls:   []Control{{"Authorization", "operator role", "REQ-002"}},
		Deployment: "Two replicas in the existing cluster.", Environments: []string{"Production: two replicas"},
		HasCodebase: true, Integration: []IntegrationRow{{"Retry worker", "gateway/send", "Extend", "same client"}}, Migration: "One migration adds the table.",
		Attributes: []Attribute{{"Performance", "5 s", "load test", "ADR-001"}},
		Risks:      []RiskRow{{Risk: "table grows", Likelihood: "medium", Impact: "high", Mitigation: "delete after 72 h", Owner: "platform team"}},
		Open:       []string{"Partition the table?"},
	}
}

func sampleEpics() Epics {
	return Epics{
		Head: sampleHead(), Title: "Retry failed webhooks", Summary: "Two epics, the first is the slice that stops the loss.",
		Epics: []Epic{
			{ID: "EPIC-001", Title: "Send again", Priority: "Must", Size: "M", MVP: true, Description: "Deliveries are stored and sent again.", Requirements: []string{"REQ-001", "NFR-P-001"}, Architecture: []string{"ADR-001"},
				Stories: []Story{{ID: "STORY-001-001", Title: "Retry once", Story: Story3{"customer", "get a failed delivery again", "nothing is lost"},
					Criteria: []Criterion{{"", "Given a 503 answer, when 30 seconds pass, then it is sent again.", false}}, Size: "M", TracesTo: []string{"REQ-001", "NFR-P-001"}}}},
			{ID: "EPIC-002", Title: "See failures", Priority: "Should", Size: "S", Description: "Operators see failed deliveries.", Requirements: []string{"REQ-002"}, Architecture: []string{"ADR-002"},
				Dependencies: []Dependency{{"EPIC-001", "blocking", "there is nothing to show before"}},
				Stories: []Story{{ID: "STORY-002-001", Title: "List with status", Story: Story3{"operator", "see the last status", "I find the cause"},
					Criteria: []Criterion{{"", "The list shows 503 after a 503 answer.", true}}, Size: "S", TracesTo: []string{"REQ-002"}}}},
		},
		DoneWhen: []string{"a 503 is followed by a second attempt"},
		Risks:    []RiskRow{{Risk: "late load test", Likelihood: "low", Impact: "medium", Mitigation: "book the cluster", Owner: "QA", Affects: []string{"EPIC-001"}}},
	}
}

func sampleFiles() []File {
	files := sampleBrief().Render()
	files = append(files, sampleRequirements().Render(Parse(files))...)
	files = append(files, sampleArchitecture().Render(Parse(files))...)
	files = append(files, sampleEpics().Render(Parse(files))...)
	return relinked(files)
}

// relinked renders again with everything known, as a session's last step does.
func relinked(files []File) []File {
	s := Parse(files)
	out := sampleBrief().Render(s)
	out = append(out, sampleRequirements().Render(s)...)
	out = append(out, sampleArchitecture().Render(s)...)
	return append(out, sampleEpics().Render(s)...)
}
