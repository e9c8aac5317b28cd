package llm

import (
	"os"
	"testing"

	"parley/app/githubsim"
)

func TestMain(m *testing.M) { os.Exit(githubsim.Alone(m.Run)) }
