package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

// A stage is a slow line with servers at the far end, and a tmux at the near one. Names at the near
// end are resolved by the far end.
type stage struct {
	dir  string
	line *line.Line
	stop func() // ends the servers
}

// newStage makes a stage, whose files are in dir.
func newStage(dir string) (*stage, error) {
	l, err := line.New(line.Options{RTT: 40 * time.Millisecond, Mbit: 40, Queue: 250 * time.Millisecond})
	if err != nil {
		return nil, err
	}
	s := &stage{dir: dir, line: l, stop: func() {}}
	if err := s.open(); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

func (s *stage) open() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	servers := exec.Command(self, "serve", s.dir)
	servers.Stderr = os.Stderr
	if s.stop, err = s.line.Far.Serve(servers); err != nil {
		return err
	}
	for ready := filepath.Join(s.dir, "ready"); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ready); err == nil {
			break
		}
	}
	names := filepath.Join(s.dir, "resolv.conf")
	if err := os.WriteFile(names, []byte("nameserver "+line.FarAddr+"\n"), 0o666); err != nil {
		return err
	}
	tmux := exec.Command("unshare", "-m", "sh", "-c",
		`mount --bind "$1" /etc/resolv.conf && exec tmux -S "$2" -f /dev/null new-session -d -s stage`, "sh", names, s.socket())
	if err := s.line.Near.Start(tmux); err != nil {
		return err
	}
	if err := tmux.Wait(); err != nil {
		return fmt.Errorf("tmux: %w", err)
	}
	return s.tmux(nil, "set-option", "-g", "history-limit", "5000")
}

func (s *stage) socket() string { return filepath.Join(s.dir, "tmux") }

// tmux runs a command of tmux, and stores its output in out, unless out is nil.
func (s *stage) tmux(out *string, args ...string) error {
	cmd := exec.Command("tmux", append([]string{"-S", s.socket()}, args...)...)
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("tmux %s: %w", args[0], err)
	}
	if out != nil {
		*out = string(text)
	}
	return nil
}

func (s *stage) close() {
	s.tmux(nil, "kill-server") // there may be none
	s.stop()
	s.line.Close()
}

// writeTrust writes c as the certificate that the clients trust.
func writeTrust(dir string, c *x509.Certificate) error {
	return os.WriteFile(filepath.Join(dir, "ca.pem"), pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}), 0o666)
}
