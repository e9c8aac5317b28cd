package app_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// deeds are what is done to the repository and the installation.
var deeds = map[string]func(*stage, []string) error{
	"rename":    func(s *stage, a []string) error { return s.world.RenameRepo(repoName, a[0]) },
	"archive":   func(s *stage, _ []string) error { return s.world.Archive(repoName, true) },
	"unarchive": func(s *stage, _ []string) error { return s.world.Archive(repoName, false) },
	"suspend":   func(s *stage, _ []string) error { s.world.Suspend(s.inst, true); return nil },
	"unsuspend": func(s *stage, _ []string) error { s.world.Suspend(s.inst, false); return nil },
	"uninstall": func(s *stage, _ []string) error { s.world.Uninstall(s.inst); return nil },
	"role":      func(s *stage, a []string) error { return s.world.SetPermission(repoName, a[0], a[1]) },
	"branch":    func(s *stage, a []string) error { return s.world.CreateBranch("ann", repoName, a[0], "main") },
	"no-drafts": func(s *stage, _ []string) error { return s.world.ForbidDrafts(repoName) },
	"heal":      func(s *stage, _ []string) error { s.world.ClearFaults(); return nil },
	// clock DURATION sets the App's clock before GitHub's and Redis's. A try that
	// failed is due again so much later, and at once where the clock is behind.
	"clock": func(s *stage, a []string) error {
		ahead, err := time.ParseDuration(a[0])
		s.ahead.Store(int64(ahead))
		return err
	},
	// forget-archives has the next task download the repository again.
	"forget-archives": func(s *stage, _ []string) error {
		kept, err := filepath.Glob(filepath.Join(s.cache, "*.zip"))
		for _, path := range kept {
			err = errors.Join(err, os.Remove(path))
		}
		return err
	},
	"transfer-issue": func(s *stage, a []string) error {
		to := "acme/" + a[0]
		if _, err := s.world.AddRepo(to, map[string]string{"README.md": "# Attic\n"}); err != nil {
			return err
		}
		_, err := s.world.TransferIssue("ann", s.at(), to)
		return err
	},
	"retarget": func(s *stage, a []string) error {
		at, err := s.where("pr")
		if err != nil {
			return err
		}
		return s.world.Retarget("ann", at, a[0])
	},
	"delete-branch": func(s *stage, _ []string) error {
		p, err := s.pull()
		if err != nil {
			return err
		}
		return s.world.DeleteBranch("ann", repoName, p.Branch)
	},
	"merge-group": func(s *stage, _ []string) error {
		p, err := s.pull()
		if err != nil {
			return err
		}
		_, err = s.world.MergeGroup(repoName, p.Number)
		return err
	},
	// branch-file WHO BRANCH PATH TEXT pushes a file; \n in TEXT is a new line.
	"branch-file": func(s *stage, a []string) error {
		_, err := s.world.Push(a[0], repoName, a[1], map[string]string{a[2]: strings.ReplaceAll(a[3], `\n`, "\n")})
		return err
	},
	// other-pull WHO opens a pull request of somebody's own.
	"other-pull": func(s *stage, a []string) error {
		if _, err := s.world.Push(a[0], repoName, "feature", map[string]string{"src/other.go": "package src\n"}); err != nil {
			return err
		}
		_, err := s.world.OpenPull(a[0], repoName, "feature", "main", "A feature", "")
		return err
	},
}

func do(s *stage, _ *testscript.TestScript, a []string) error {
	deed := deeds[a[0]]
	if deed == nil {
		return fmt.Errorf("nothing is called %q", a[0])
	}
	return deed(s, a[1:])
}
