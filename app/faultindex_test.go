package app

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// proof is where a fault is proved: a test of a package, and a row of it where
// its table has many; or, with the package "script", a conversation.
type proof struct{ in, test, row string }

// faults lists what may go wrong between Parley, GitHub and Redis, by the usual
// short names (I intake, C commands, G the API, Q the queue), with what proves
// that it does no harm.
var faults = map[string][]proof{
	"I1":  {{"cmd/parley", "TestServeRefusesToStart", "I1 an empty secret"}}, // no webhook secret worth the name
	"I2":  {{"app", "TestHookAnswers", "I2 only the SHA-1 one"}},             // no SHA-256 signature
	"I3":  {{"app", "TestHookAnswers", "I3 sha512 prefix"}},                  // a wrong prefix
	"I4":  {{"app", "TestHookAnswers", "I4 another secret"}, {"app", "FuzzHook", ""}},
	"I5":  {{"app", "TestHookAnswers", "I5 the old secret during rotation"}},
	"I6":  {{"app", "TestHookAnswers", "I6 promised 25 MiB and a byte"}, {"app", "TestHookBodies", ""}, {"app", "TestListenerFreesSlowSenders", ""}},
	"I7":  {{"app", "TestHookAnswers", "I7 form"}},
	"I8":  {{"app", "TestHookAnswers", "I8 no delivery"}},
	"I9":  {{"app", "TestHookAnswers", "I9 broken JSON"}, {"handlers", "FuzzHandle", ""}},
	"I10": {{"app", "TestHookAnswers", "I10 unknown event"}, {"handlers", "TestGitHubsExamples", ""}},
	"I11": {{"app", "TestHookAnswers", "I11 no installation"}},
	"I12": {{"handlers", "TestI12NotOurs", ""}},
	"I13": {{"app/redisstore", "TestI13HundredParallelDeliveriesOnThreeReplicas", ""}},
	"I14": {{"app/redisstore", "TestI14RedeliveryDaysLaterIsADuplicate", ""}, {"app", "TestHookAnswers", "I14 the same again"}},
	"I15": {{"app/redisstore", "TestI15SameCommentNewGUID", ""}, {"handlers", "TestMeaning", ""}},
	"I16": {{"app/redisstore", "TestI16Q6RedisRefuses", ""}, {"app", "TestI16Q6RedisLostWhileRunning", ""}, {"app", "TestI16SweepTakesInWhatWasMissed", ""}},
	"I17": {{"app/redisstore", "TestI17LostAnswer", ""}, {"app/redisstore", "TestCrash", ""}},
	"I18": {{"app/redisstore", "TestI18QueueAtItsLimit", ""}},
	"I19": {{"app/redisstore", "TestI19BurstKeepsOrder", ""}}, // the rate is make bench's
	"I20": {{"app/redisstore", "TestI20KilledAtEachStep", ""}, {"app/redisstore", "TestCrash", ""}},
	"I21": {{"app", "TestI21OffForHalfAnHour", ""}},
	"I22": {{"app", "TestI22OffForFourDays", ""}, {"app", "TestScanStartsWhatWasMissed", ""}},
	"I23": {{"pipeline", "TestI23StartThatWasTakenBack", "the label was taken off"}, {"script", "out-of-order", ""}},
	"I24": {{"script", "label-flicker", ""}},
	"I25": {{"handlers", "TestI25AddressesOfAPayload", ""}, {"app/githubapi", "TestTokenStaysHome", ""}},

	"C9":  {{"handlers", "TestWhoIsHeard", "C9 a deleted account"}, {"app/githubapi", "TestC9WhoIsAWriter", ""}, {"pipeline", "TestRefusals", "triage may not resume"}},
	"C10": {{"app/githubapi", "TestC10PermissionUnread", ""}, {"pipeline", "TestC10StandingUnread", ""}, {"pipeline", "TestRefusals", "permission unknown"}},
	"C11": {{"app/githubapi", "TestC11Demoted", ""}},
	"C12": {{"handlers", "TestWhoIsHeard", "C12 a writer edits an admin's comment"}},
	"C13": {{"handlers", "TestWhoIsHeard", "C13 only the new one runs"}, {"handlers/command", "TestEdit", ""}},
	"C14": {{"app", "TestC14DeletedCommentNeverRuns", ""}, {"handlers", "TestC14DeletedComment", ""}, {"pipeline", "TestC14RetractedCommand", ""}},
	"C15": {{"pipeline", "TestIssueAndPullEvents", "issue transferred"}, {"app/githubapi", "TestC15LockedConversation", ""},
		{"script", "issue-moved", ""}, {"script", "pull-closed", ""}, {"script", "pull-merged", ""}},
	"C16": {{"pipeline", "TestC16OldHead", ""}, {"pipeline", "TestCommandBoundToItsText", ""}},
	"C17": {{"pipeline", "TestRefusals", "C17 a head too short to be one"}},
	"C18": {{"pipeline", "TestC18SameCommandManyTimes", ""}},
	"C19": {{"app/llm", "TestAttacksAreReportedAndFenced", "tool call JSON"}, {"app/llm", "TestFenceCannotBeImitated", ""}, {"handlers", "FuzzHandle", ""}},
	"C20": {{"handlers", "TestWhoIsHeard", "C20 a bot that mentions us"}, {"script", "own-events", ""}},
	"C21": {{"handlers", "TestWhoIsHeard", "C21 pull request body"}},
	"C22": {{"handlers", "TestWhoIsHeard", "C22 a label set by a bot"}, {"script", "reader-label", ""}},

	"G1":  {{"app/githubapi", "TestG1G2WrittenOnce", "502 after the write"}},   // made, and answered 502
	"G2":  {{"app/githubapi", "TestG1G2WrittenOnce", "reset after the write"}}, // made, and no answer
	"G3":  {{"app/githubapi", "TestG3Review", ""}, {"app/githubapi", "TestG3OneBadLine", ""}},
	"G4":  {{"app/githubapi", "TestG4LongTexts", ""}, {"pipeline", "TestCut", "open details"}},
	"G5":  {{"app/githubapi", "TestG5ReserveForTheGate", ""}, {"app/githubapi", "TestG5ToldOnce", ""}},
	"G6":  {{"app/githubapi", "TestG6RefusalsAreWaitedFor", "no header at all"}, {"app/githubapi", "TestG6LimitsWhileWriting", ""}},
	"G7":  {{"app/githubapi", "TestG7OrnamentFails", ""}},
	"G8":  {{"app/githubapi", "TestG8TokenRefused", ""}},
	"G9":  {{"app/githubapi", "TestG9MintRefused", "suspended"}},
	"G10": {{"app/githubapi", "TestG10ClockSkew", ""}},
	"G11": {{"app/githubapi", "TestG11NotThereYet", ""}},
	"G12": {{"app/githubapi", "TestG12NoConditionalReads", ""}},
	"G13": {{"app/githubapi", "TestG13LongConversation", ""}},
	"G14": {{"app/githubapi", "TestG14ForgedMarkers", ""}, {"app/githubapi", "TestStartedLongAgo", ""}, {"app/githubapi", "TestG14DeletedCommentIsRebuiltOnce", ""}},
	"G15": {{"app/githubapi", "TestG15MovedBranch", ""}, {"app/githubapi", "TestG15BranchGoneOrTaken", ""}},
	"G16": {{"app/githubapi", "TestG16OddFolders", ""}},
	"G17": {{"pipeline", "TestG17RetargetedAndReopened", ""}, {"script", "pull-retargeted", ""}},
	"G18": {{"app/githubapi", "TestG18NewRun", ""}, {"script", "buttons", ""}},
	"G19": {{"pipeline", "TestG19MergeGroup", ""}, {"pipeline", "TestG19GroupsThatAreNotOurs", ""}, {"app/githubapi", "TestG19GroupFacts", ""},
		{"handlers", "TestWhoIsHeard", "G19 group destroyed"}, {"script", "merge-queue", ""}},
	"G20": {{"app/githubapi", "TestG20Gates", ""}},
	"G21": {{"app", "TestG21FirstGate", ""}},
	"G22": {{"pipeline", "TestG22RenamedRepository", ""}, {"app/githubapi", "TestG22MovedRepository", ""}, {"app", "TestUninstallErases", ""},
		{"script", "renamed", ""}, {"script", "suspended", ""}},
	"G23": {{"app/githubapi", "TestG23PartialData", ""}},

	"Q1": {{"app/redisstore", "TestQ1TwoReplicasOneSession", ""}},
	"Q2": {{"app/redisstore", "TestQ2PausedHolderWritesNothing", ""}, {"app/redisstore", "TestCrashControls", ""}},
	"Q3": {{"app/redisstore", "TestQ3KilledInTheMiddleOfADelivery", ""}},
	"Q4": {{"app/redisstore", "TestQ4FailoverLosesTheTail", ""}, {"app/redisstore", "TestReplicaConfirms", ""}, {"app/redisstore", "TestSentinel", ""}},
	"Q5": {{"app", "TestQ5RebuildAfterFlush", ""}, {"app", "TestRebuildIsTakenUpByTheNextSweep", ""}, {"app", "TestSweepStartsNothingThatIsOver", ""},
		{"app/redisstore", "TestQ5FlushedRedisIsNoticedOnce", ""}},
	"Q6": {{"app/redisstore", "TestI16Q6RedisRefuses", "the user may not"}, {"app/redisstore", "TestQ6EveryRefusal", "its disk is full"},
		{"app/redisstore", "TestQ6Loading", ""}, {"app/redisstore", "TestQ6ScriptsAreForgotten", ""}, {"app", "TestI16Q6RedisLostWhileRunning", "read only"}},
	"Q7":  {{"pipeline", "TestQ7PoisonJob", ""}, {"pipeline", "TestQ7PoisonEvent", ""}},
	"Q8":  {{"app/redisstore", "TestQ8FloodLeavesWorkersForOthers", ""}, {"app/redisstore", "TestQ8NewcomerIsNext", ""}}, // the waits are BenchmarkFlood's
	"Q9":  {{"pipeline", "TestQ9DrainHandsBack", ""}, {"app", "TestQ9StopHandsWorkBack", ""}, {"cmd/parley", "TestSignalsUnderLoadLoseNothing", ""}},
	"Q10": {{"app/redisstore", "TestQ10UnknownVersionIsParked", ""}, {"app/redisstore", "TestQ10UnknownJobIsParked", ""}},
	"Q11": {{"pipeline", "TestQ11Deadline", ""}},
	"Q12": {{"app/redisstore", "TestQ12StuckSlot", ""}},
	"Q13": {{"pipeline", "TestQ13Switch", ""}},
	"Q14": {{"app", "TestQ14RoundWithoutItsModel", "a rating of NaN"}, {"app/llm", "TestQ14FailureClasses", "5 MB"},
		{"app/llm", "TestQ14HangGoesToTheNextBackend", ""}, {"discuss", "TestFallbackIsSaid", ""}},
	"Q15": {{"discuss", "TestQ15BudgetReachedInARound", ""}, {"app/llm", "TestQ15BudgetStopsBeforeTheCall", ""}},
}

// Every fault has a proof, and every proof is there.
func TestFaultsAreProved(t *testing.T) {
	for _, span := range []struct {
		letter      string
		first, last int
	}{{"I", 1, 25}, {"C", 9, 22}, {"G", 1, 23}, {"Q", 1, 15}} {
		for n := span.first; n <= span.last; n++ {
			if len(faults[span.letter+strconv.Itoa(n)]) == 0 {
				t.Errorf("nothing proves %s%d", span.letter, n)
			}
		}
	}
	read := map[string]*tests{}
	for fault, proofs := range faults {
		for _, p := range proofs {
			if p.in == "script" {
				if _, err := os.Stat(filepath.Join("testdata", "script", p.test+".txt")); err != nil {
					t.Errorf("%s: %v", fault, err)
				}
				continue
			}
			if read[p.in] == nil {
				read[p.in] = testsOf(t, filepath.Join("..", filepath.FromSlash(p.in)))
			}
			if !read[p.in].funcs[p.test] || p.row != "" && !read[p.in].words[p.row] {
				t.Errorf("%s: there is no %s %s %q", fault, p.in, p.test, p.row)
			}
		}
	}
}

// tests are the test functions of a package and the strings in its test files.
type tests struct{ funcs, words map[string]bool }

func testsOf(t *testing.T, dir string) *tests {
	t.Helper()
	out := &tests{map[string]bool{}, map[string]bool{}}
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests (%v)", dir, err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && (strings.HasPrefix(n.Name.Name, "Test") || strings.HasPrefix(n.Name.Name, "Fuzz")) {
					out.funcs[n.Name.Name] = true
				}
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					out.words[text] = true
				}
			}
			return true
		})
	}
	return out
}
