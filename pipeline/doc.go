// Package pipeline is the domain: sessions, tasks, their graph, the state
// tables, the commands, the ports to the world and every sentence Parley says.
// Advance decides everything; it is pure. The loops beside it carry its
// effects out. Standard library only.
//
// A session:
//
//	         start             prepared
//	(none) ────────▶ preparing ────────▶ active ◀──────────────────────┐
//	   ▲                 │                │  │ ▲                       │
//	   └─────────────────┘                │  │ │ /resume, an answer,   │ /revise, /feedback,
//	    unlabelled, closed,               │  │ │ a deadline, a label   │ /improve, /recheck,
//	    or it cannot begin                │  ▼ │                       │ a re-run
//	                                      │ paused ────────────────────┤
//	     a checkpoint, questions, a block,│  │  │                      │
//	     spent tries, a stall, a missing  │  │  │ /finish, /resume     │
//	     role, an edit, a hold            │  │  ▼                      │
//	                                      │  │ completed ──────────────┘
//	             every task is completed ─┼──┼──▲
//	                                      ▼  ▼
//	     /cancel, pull request closed:   aborted ──▶ paused: the pull request is reopened
//
// The label starts the next session, `…-2`, where the former one's
// pull request is closed or merged.
//
// The gate's check run says in_progress while a session is active and
// action_required while it is paused; completed it says success (PASS, or
// somebody took the risk), action_required (REVIEW) or failure (FAIL); aborted
// it says cancelled.
//
// A task:
//
//	          its needs are completed            a result
//	pending ──────────────────────▶ in_progress ──────────▶ completed
//	   ▲                               │   │ ▲                 │
//	   │  a failed or partial try,     │   │ └─────────────────┘
//	   │  an orphan: three in all      │   │   its round is blocked HIGH: it stays
//	   └───────────────────────────────┘   │   open until a person has decided
//	   ▲                                   ▼
//	   └───────── /retry ──────── failed, partial
//
// A completed task never runs again: a revision is a task of its own
// (DRAFT-002-R1), and whoever waited for the original waits for it.
package pipeline
