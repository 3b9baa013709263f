package stack

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// pin returns a Pin whose digits are all the same.
func pin(digit string) gemini.Pin {
	return gemini.Pin{Fingerprint: strings.Repeat(digit, 64), Expires: time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)}
}

// first accepts a Pin if none is kept, and fails if another one is.
func first(shown gemini.Pin) func(gemini.Pin) (gemini.Pin, error) {
	return func(kept gemini.Pin) (gemini.Pin, error) {
		if kept.Fingerprint != "" && kept != shown {
			return kept, &gemini.ChangedError{Addr: "h:1", Kept: kept, Shown: shown}
		}
		return shown, nil
	}
}

// Many runs write the same file at the same time, and none loses a line of another. The file is
// for the user alone, and so is its directory.
func TestKnownHostsAtOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state", "fetch", "gemini-hosts")
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			k := &knownHosts{name: name, unnamed: true, warn: t.Errorf}
			if err := k.Update(t.Context(), fmt.Sprintf("h%d.example:1965", i), first(pin("a"))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(name)
	if lines := strings.Count(string(text), "\n"); lines != 20 || err != nil {
		t.Errorf("%d lines, %v:\n%s", lines, err, text)
	}
	for path, want := range map[string]fs.FileMode{name: 0o600, filepath.Dir(name): 0o700 | fs.ModeDir} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want && runtime.GOOS != "windows" {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
	left, err := filepath.Glob(name + ".*")
	if len(left) > 0 || err != nil {
		t.Errorf("%q are left", left)
	}
}

// Of two first uses that show different certificates one is the first, and the other fails.
func TestKnownHostsFirst(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hosts")
	slow, quick := &knownHosts{name: name}, &knownHosts{name: name}
	asked := 0
	err := slow.Update(t.Context(), "h:1", func(kept gemini.Pin) (gemini.Pin, error) {
		if asked++; asked == 1 { // another run is quicker
			if err := quick.Update(t.Context(), "h:1", first(pin("b"))); err != nil {
				t.Error(err)
			}
		}
		return first(pin("a"))(kept)
	})
	if changed, ok := errors.AsType[*gemini.ChangedError](err); !ok || changed.Kept != pin("b") || asked != 2 {
		t.Errorf("after %d questions: %v", asked, err)
	}
	err = slow.Update(t.Context(), "h:1", first(pin("a")))
	if hinted, ok := errors.AsType[term.Hinted](err); !ok || !strings.Contains(hinted.Hints[0], "remove the line of h:1 from ") {
		t.Errorf("%v", err)
	}
}

// The certificates of servers that strangers choose are remembered for the run, and the file of the user
// is read only. It has priority.
func TestKnownHostsOfStrangers(t *testing.T) {
	name := filepath.Join(t.TempDir(), "hosts")
	if err := (&knownHosts{name: name}).Update(t.Context(), "old:1", first(pin("a"))); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	k := &knownHosts{name: name, reads: true}
	k.lost.Max = 1
	for _, c := range []struct {
		addr, shown string
		changed     bool
	}{
		{"old:1", "b", true}, {"new:1", "a", false}, {"new:1", "b", true}, {"new:1", "a", false},
		{"beyond:1", "a", false}, {"beyond:1", "b", false},
	} {
		err := k.Update(t.Context(), c.addr, first(pin(c.shown)))
		if _, changed := errors.AsType[*gemini.ChangedError](err); changed != c.changed || err != nil && !changed {
			t.Errorf("%s with %s: %v", c.addr, c.shown, err)
		}
	}
	if after, err := os.ReadFile(name); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed: %q, %v", after, err)
	}
}

// A certificate that cannot be written is remembered for the run if the user has named no file.
func TestKnownHostsUnwritten(t *testing.T) {
	file := write(t, "file", "")
	for name, k := range map[string]*knownHosts{"a file in place of a directory": {name: filepath.Join(file, "hosts"), unnamed: true}, "no home": {unnamed: true}} {
		warnings := 0
		k.warn = func(string, ...any) { warnings++ }
		for range 2 {
			if err := k.Update(t.Context(), "h:1", first(pin("a"))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, changed := errors.AsType[*gemini.ChangedError](k.Update(t.Context(), "h:1", first(pin("b")))); !changed || warnings != 1 {
			t.Errorf("%s: another certificate is accepted, or %d warnings", name, warnings)
		}
	}
	named := &knownHosts{name: filepath.Join(t.TempDir(), "missing", "hosts")}
	if _, output := errors.AsType[record.OutputError](named.Update(t.Context(), "h:1", first(pin("a")))); !output {
		t.Error("a file in no directory is written")
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if err := named.Update(done, "h:1", first(pin("a"))); err == nil {
		t.Error("the end of the context is none")
	}
}

// A line has three fields. Any other line is an error with its number.
func TestParseKnownHost(t *testing.T) {
	digits := strings.Repeat("0f", 32)
	for line, want := range map[string]bool{
		"": true, "  # x": true, "h:1 sha256:" + digits + " 2099-01-01T00:00:00Z": true, "[::1]:1965\tsha256:" + digits + "  2099-01-01T01:00:00+01:00": true,
		"h:1": false, "h:1 " + digits + " 2099-01-01T00:00:00Z": false, "h sha256:" + digits + " 2099-01-01T00:00:00Z": false,
		"h:1 sha256:" + digits + " 2099-01-01": false, "h:1 sha256:" + digits[1:] + "G 2099-01-01T00:00:00Z": false, "h:1 sha256:" + digits + " 2099-01-01T00:00:00Z x": false,
	} {
		host, known, ok := parseKnownHost(line)
		if ok != want || (host == "") != (known.Fingerprint == "") {
			t.Errorf("%q: %q, %v, %v", line, host, known, ok)
		}
	}
	k := &knownHosts{name: write(t, "hosts", "# x\n\nh:1\n")}
	err := k.Update(t.Context(), "h:1", first(pin("a")))
	if _, input := errors.AsType[record.InputError](err); !input || !strings.Contains(err.Error(), "hosts:3: not HOST:PORT") {
		t.Error(err)
	}
}

// The words of a server stand behind its name, and blanks between them do not move that away.
func TestQuestion(t *testing.T) {
	u, err := url.Parse("gemini://h.example/")
	if err != nil {
		t.Fatal(err)
	}
	index := &fetchers.Resource{Kind: fetchers.Index, URL: u, Reply: fetchers.Reply{Code: 11}}
	for words, want := range map[string]string{
		"Your name?":                             "h.example asks: Your name? ",
		strings.Repeat(" \u3000", 400) + "Name?": "h.example asks: Name? ",
		"password of joe: ":                      "h.example asks: password of joe: ",
	} {
		index.Reply.Text = words
		if text, hidden := question(index); text != want || !hidden {
			t.Errorf("%q is asked as %q, hidden %v", words, text, hidden)
		}
	}
}
