package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A look is one way of seeing a task.
type look struct {
	columns int
	color   bool
	program string
}

// A view has the screen of a task for each look.
type view map[look]string

// patience is the time limit of a command.
const patience = 30 * time.Second

// atOnce is how many terminals there are at a time.
const atOnce = 3

// playAll does all tasks in all terminals with all programs.
func (s *stage) playAll(ctx context.Context, tasks []task, programs []program) ([]view, error) {
	views, faults := make([]view, len(tasks)), make([]error, len(tasks))
	places := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, t := range tasks {
		wg.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			views[i] = make(view)
			for _, p := range programs {
				for _, columns := range []int{80, 40} {
					for _, color := range []bool{false, true} {
						l := look{columns, color, p.name}
						text, err := s.play(ctx, t, l, p.path)
						faults[i] = errors.Join(faults[i], err)
						views[i][l] = text
					}
				}
			}
		})
	}
	wg.Wait()
	return views, errors.Join(faults...)
}

// play types the task in a terminal of its own, and returns its screen.
func (s *stage) play(ctx context.Context, t task, l look, program string) (string, error) {
	home, err := os.MkdirTemp(s.dir, "home")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"notes.txt": "Buy milk.\n", "list": list} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	bin, done := filepath.Join(home, ".bin"), filepath.Join(home, ".done")
	if err := errors.Join(os.Mkdir(bin, 0o777), os.Symlink(program, filepath.Join(bin, "fetch"))); err != nil {
		return "", err
	}
	shell := []string{"unshare", "-m", "sh", "-c", `mount --bind "$1" /home && cd /home && shift && exec "$@"`, "sh", home,
		"env", "-i", "HOME=/home", "PATH=/home/.bin:/usr/bin:/bin:/usr/sbin", "TERM=screen-256color", "LANG=C.UTF-8",
		"SSL_CERT_FILE=" + filepath.Join(s.dir, "ca.pem"), "PS1=$ ", "PS2=", "PROMPT_COMMAND=echo >>/home/.done"}
	if !l.color {
		shell = append(shell, "NO_COLOR=1")
	}
	name := filepath.Base(home)
	args := []string{"new-session", "-d", "-s", name, "-c", home, "-x", fmt.Sprint(l.columns), "-y", "100"}
	if err := s.tmux(nil, append(append(args, shell...), "bash", "--norc", "--noprofile", "-i")...); err != nil {
		return "", err
	}
	defer s.tmux(nil, "kill-session", "-t", name)
	var seen strings.Builder
	for i, command := range append([]string{""}, t.commands...) {
		if i > 0 {
			if err := s.tmux(nil, "send-keys", "-t", name, "-l", command); err != nil {
				return "", err
			}
			if err := s.tmux(nil, "send-keys", "-t", name, "Enter"); err != nil {
				return "", err
			}
		}
		if i == 1 && t.after > 0 {
			time.Sleep(t.after)
			if err := s.during(&seen, name, l, t); err != nil {
				return "", err
			}
		}
		if err := prompted(ctx, done, i+1); err != nil {
			return "", fmt.Errorf("%s: %s: %w", t.name, command, err)
		}
	}
	text, err := s.capture(name, l)
	seen.WriteString(text)
	return seen.String(), err
}

// during records the screen while the last command runs, and presses the keys.
func (s *stage) during(seen *strings.Builder, name string, l look, t task) error {
	text, err := s.capture(name, l)
	if err != nil {
		return err
	}
	fmt.Fprintf(seen, "%s\n(after %v; and then:)\n", text, t.after)
	for _, key := range t.keys {
		if err := s.tmux(nil, "send-keys", "-t", name, key); err != nil {
			return err
		}
		time.Sleep(200 * time.Millisecond) // for the next question
	}
	return nil
}

// prompted waits until the shell has shown n prompts.
func prompted(ctx context.Context, done string, n int) error {
	for end := time.Now().Add(patience); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(15 * time.Millisecond) {
		if text, _ := os.ReadFile(done); len(text) >= n {
			time.Sleep(30 * time.Millisecond) // the prompt follows
			return nil
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("no prompt after %v", patience)
}

// capture returns the screen of the terminal, with or without colour.
func (s *stage) capture(name string, l look) (string, error) {
	args := []string{"capture-pane", "-p", "-t", name, "-S", "-"}
	if l.color {
		args = append(args, "-e")
	}
	var text string
	err := s.tmux(&text, args...)
	if !l.color {
		text = commands(text)
	}
	return text, err
}

// commands returns the text of a screen without its last prompt.
func commands(text string) string {
	text = strings.TrimSuffix(strings.TrimRight(text, "\n "), "$")
	return strings.TrimSuffix(text, "\n")
}

var colors = regexp.MustCompile("\x1b\\[[0-9;]*m|\x1b\\][^\x07\x1b]*(\x07|\x1b\\\\)|[\x0e\x0f]")

// measured matches the text that differs in each run: amounts, and the length of bars.
var measured = regexp.MustCompile(`[0-9.]+([KMG]i)?(B(/s)?)?|[\s#]`)

// same reports whether two looks show the same text, but for colour and for how long it took.
func same(a, b string) bool {
	plain := func(s string) string {
		return measured.ReplaceAllString(commands(colors.ReplaceAllString(s, "")), "")
	}
	return plain(a) == plain(b)
}
