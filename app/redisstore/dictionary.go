package redisstore

// dictionary primes the compression of records with what every session's
// JSON contains. Records name it by their first byte, so it never changes;
// another one would come with another letter.
const dictionary = `"superseded":true,"warnings":1,"revision_of":"","revision":{"why":"consensus","scope":"targeted","items":[` +
	`"default_branch":"main","private":true,"node_id":"R_kgDO","url":"https://github.com//pull/","title":"","author":"","labels":[` +
	`"wait":{"reason":"checkpoint","task":"QUALITY-001","detail":"","since":"2026-","deadline":"2026-"},"accepted":[{"who":"","at":"","command":"resume","gate":"REVIEW","score":` +
	`"questions":[{"id":"Q-1","text":"","default":"","why":"","answer":"","by":"default"}],` +
	`{"schema":1,"session_id":"TLS-","mode":"spec-only","track":"standard","scope":"","focus":[],"depth":"","execution":"","spec_path":"","raw_input":"","frontend_detected":false,"frontend_signals":[],"mode_reason":"","language":"en","status":"completed",` +
	`"started_at":"2026-","updated_at":"2026-","completed_at":"2026-","tasks_total":6,"tasks_completed":6,"pipeline":[{"id":"RESEARCH-001","owner":"analyst","status":"completed","blocked_by":[],"description":"","inline_discuss":"DISCUSS-001","agent_id":"","artifact_path":"spec/discovery-context.json","discuss_verdict":"consensus_reached","discuss_severity":"","discuss_rating":4.2,"summary":"","started_at":"2026-","completed_at":"2026-","revision_count":0,"retry_count":0,"is_checkpoint_after":false,"usage":{"calls":0,"cached":0,"by_rules":5,"input_tokens":0,"output_tokens":0,"usd_micros":0},"took_ms":` +
	`"id":"DRAFT-001","owner":"writer","blocked_by":["RESEARCH-001"],"inline_discuss":"DISCUSS-002","artifact_path":"spec/product-brief.md"` +
	`"id":"DRAFT-002","owner":"writer","blocked_by":["DRAFT-001"],"inline_discuss":"DISCUSS-003","artifact_path":"spec/requirements/_index.md"` +
	`"id":"DRAFT-003","owner":"writer","blocked_by":["DRAFT-002"],"inline_discuss":"DISCUSS-004","artifact_path":"spec/architecture/_index.md"` +
	`"id":"DRAFT-004","owner":"writer","blocked_by":["DRAFT-003"],"inline_discuss":"DISCUSS-005","artifact_path":"spec/epics/_index.md"` +
	`"id":"QUALITY-001","owner":"reviewer","blocked_by":["DRAFT-004"],"inline_discuss":"DISCUSS-006","artifact_path":"spec/readiness-report.md","discuss_verdict":"consensus_blocked","discuss_severity":"MEDIUM","recommendation":"proceed-with-caution"` +
	`"active_workers":[],"completed_tasks":["RESEARCH-001","DRAFT-001","DRAFT-002","DRAFT-003","DRAFT-004","QUALITY-001"],"revision_chains":{},"wisdom_entries":[],"checkpoints_hit":["QUALITY-001"],"gc_loop_count":0,` +
	`"checkpoint_gate":{"gate":"PASS","score":86.5,"dimensions":{"completeness":100,"consistency":90,"coverage":80,"depth":70,"traceability":95},"notes":{},"lift":"","rules":"","tree":""},` +
	`"repo":{"installation":,"id":,"owner":"","name":""},"issue":{"number":,"node_id":"I_kwDO","title":"","author":"","text":""},"starter":"",` +
	`"settings":{"label":"lifecycle","branch_prefix":"lifecycle/","default_mode":"spec-only","track":"standard","title":"spec: {title}","delete_branch":false,"keep":"all","review":"each","notify":"starter","bare_commands":true,"other_pulls":"silent","literal_consensus":false,"dry_run":false,"enabled":true,"gate":{"require_model":false,"accept_review":3,"accept_fail":4,"accept_issue_author":true},"question_hours":72},` +
	`"usage":{"calls":0,"cached":0,"by_rules":30,"input_tokens":0,"output_tokens":0,"usd_micros":0},"beats":6,"github":{"requests":,"rest":0,"graphql":,"created":},"messages":,` +
	`"pr":{"number":,"node_id":"PR_kwDO","url":"https://github.com//pull/","head":"","draft":true,"base_head":""},"manifest":{"head":"","tree":"","files":{".gitattributes":"",".msg/messages.jsonl":"","team-session.json":"","shared-memory.json":"","spec/spec-config.json":"","spec/discovery-context.json":"","spec/product-brief.md":"","spec/requirements/_index.md":"","spec/requirements/REQ-001-","spec/requirements/NFR-001-","spec/architecture/_index.md":"","spec/architecture/ADR-001-","spec/epics/_index.md":"","spec/epics/EPIC-001-","spec/readiness-report.md":"","spec/spec-summary.md":"","discussions/DISCUSS-001-","discussions/ledger.json":"","wisdom/conventions.md":"","wisdom/decisions.md":"","wisdom/issues.md":"","wisdom/learnings.md":""}},` +
	`"posted":{"comment":"IC_kwDO","check_id":,"check_head":"","check_node":"CR_kwDO","check_status":"completed","panel":"","threads":{"F-01":"PRRT_kwDO","F-02":"PRRT_kwDO"}}}`
