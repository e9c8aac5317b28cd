package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// CLIConfig is one vendor's command-line tool.
type CLIConfig struct {
	Tool  string // claude, codex, gemini-cli
	Path  string
	Key   string
	Base  string // gateway of the operator's; empty is the vendor
	Model string
}

// maxOutput caps what a tool may print.
const maxOutput = 4 << 20

type cliBackend struct {
	cfg  CLIConfig
	tool cliTool
}

// cliTool is how one tool is started and read. The prompt goes in on standard
// input and the system text in a file: a command line can be read by other
// users of the machine.
type cliTool struct {
	args  func(c CLIConfig, system string) []string
	env   func(c CLIConfig, system string) []string
	setup func(home string) error
	read  func(stdout, stderr []byte, code int) (Answer, error)
}

// CLI runs a vendor's tool as a child process: a home of its own that is thrown
// away, an environment of five variables, no repository, no tools, read-only,
// and a deadline on the whole process group.
func CLI(cfg CLIConfig) Backend { return &cliBackend{cfg, cliTools[cfg.Tool]} }

func (b *cliBackend) Model() string { return b.cfg.Model }

func (b *cliBackend) Ask(ctx context.Context, c Call) (Answer, error) {
	home, err := os.MkdirTemp("", "parley-model-")
	if err != nil {
		return Answer{}, fmt.Errorf("home for %s: %w", b.cfg.Tool, err)
	}
	defer os.RemoveAll(home)
	work := filepath.Join(home, "empty")
	tmp := filepath.Join(home, "tmp")
	for _, dir := range []string{work, tmp} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return Answer{}, fmt.Errorf("home for %s: %w", b.cfg.Tool, err)
		}
	}
	if b.tool.setup != nil {
		if err := b.tool.setup(home); err != nil {
			return Answer{}, err
		}
	}
	system := filepath.Join(home, "system.md")
	if err := os.WriteFile(system, []byte(c.System), 0o600); err != nil {
		return Answer{}, fmt.Errorf("home for %s: %w", b.cfg.Tool, err)
	}
	cmd := exec.CommandContext(ctx, b.cfg.Path, b.tool.args(b.cfg, system)...)
	cmd.Dir = work
	cmd.Env = append([]string{"HOME=" + home, "TMPDIR=" + tmp, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "NO_COLOR=1"}, b.tool.env(b.cfg, system)...)
	cmd.Stdin = strings.NewReader(conversation(c))
	stdout, stderr := &capped{left: maxOutput}, &capped{left: maxOutput}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	// The tools start children of their own and two of them never end on a
	// silent server: the group is killed, and pipes are not waited for.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return Answer{}, ctx.Err()
	}
	if stdout.over || stderr.over {
		return Answer{}, &fault{classInvalid, fmt.Sprintf("%s printed more than %d bytes", b.cfg.Tool, maxOutput)}
	}
	if cmd.ProcessState == nil {
		return Answer{}, &fault{classServer, fmt.Sprintf("start %s: %v", b.cfg.Tool, err)}
	}
	return b.tool.read(stdout.buf.Bytes(), stderr.buf.Bytes(), cmd.ProcessState.ExitCode())
}

// conversation is the turns as one text: the tools take no history. Every turn
// has a heading, since two of the tools obey a text that begins with a slash
// and never ask the model.
func conversation(c Call) string {
	var b strings.Builder
	for _, t := range c.Turns {
		b.WriteString(headings[t.By] + t.Text + "\n\n")
	}
	return b.String()
}

var headings = map[Speaker]string{User: "Request:\n", Assistant: "Your former answer:\n"}

// capped keeps the first bytes and remembers that there were more.
type capped struct {
	buf  bytes.Buffer // not embedded: its ReadFrom would pass Write by
	left int
	over bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := len(p)
	if n > c.left {
		c.over = true
		p = p[:c.left]
	}
	c.left -= len(p)
	c.buf.Write(p)
	return n, nil
}

var cliTools = map[string]cliTool{
	"claude": {
		args: func(c CLIConfig, system string) []string {
			return []string{"-p", "--output-format", "json", "--tools", "", "--disable-slash-commands", "--no-session-persistence",
				"--system-prompt-file", system, "--model", c.Model}
		},
		env: func(c CLIConfig, _ string) []string {
			// With attachments it reads every @path of the prompt, the App's key
			// included, whatever tools are off.
			env := []string{"ANTHROPIC_API_KEY=" + c.Key, "CLAUDE_CODE_DISABLE_ATTACHMENTS=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0"}
			return withBase(env, "ANTHROPIC_BASE_URL", c.Base)
		},
		read: readClaude,
	},
	"codex": {
		args: codexArgs,
		env:  func(c CLIConfig, _ string) []string { return []string{"PEER_KEY=" + c.Key} },
		read: readCodex,
	},
	"gemini-cli": {
		args: func(c CLIConfig, _ string) []string {
			return []string{"-p", " ", "--model", c.Model, "--output-format", "json", "--skip-trust"} // the space follows what standard input says
		},
		env: func(c CLIConfig, system string) []string {
			return withBase([]string{"GEMINI_API_KEY=" + c.Key, "GEMINI_SYSTEM_MD=" + system}, "GOOGLE_GEMINI_BASE_URL", c.Base)
		},
		setup: func(home string) error {
			dir := filepath.Join(home, ".gemini")
			if err := os.Mkdir(dir, 0o700); err != nil {
				return fmt.Errorf("home for gemini: %w", err)
			}
			settings := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"tools":{"core":[]},"privacy":{"usageStatisticsEnabled":false}}`
			return os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings), 0o600)
		},
		read: readGemini,
	},
}

// codexOff are features that would give the model hands: a read-only sandbox
// still lets it read every file of the service.
var codexOff = []string{"shell_tool", "unified_exec", "multi_agent", "goals", "view_image", "image_generation", "apps", "plugins", "memories"}

func codexArgs(c CLIConfig, system string) []string {
	base := c.Base
	if base == "" {
		base = "https://api.openai.com/v1"
	}
	provider := fmt.Sprintf(`model_providers.peer={name="peer",base_url=%q,env_key="PEER_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`, base)
	args := []string{"exec", "--json", "--skip-git-repo-check", "--ephemeral", "-s", "read-only",
		"-c", "model=" + quoteTOML(c.Model), "-c", "model_provider=peer", "-c", provider, "-c", "model_instructions_file=" + quoteTOML(system),
		"-c", `web_search="disabled"`, "-c", "skills.bundled.enabled=false", "-c", "analytics.enabled=false"}
	for _, feature := range codexOff {
		args = append(args, "-c", "features."+feature+"=false")
	}
	return append(args, "-")
}

func withBase(env []string, name, base string) []string {
	if base == "" {
		return env
	}
	return append(env, name+"="+base)
}

func quoteTOML(s string) string {
	out, err := json.Marshal(s) // a JSON string is a TOML basic string
	if err != nil {
		panic(err)
	}
	return string(out)
}
