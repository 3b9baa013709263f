package sshconfig

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The tables are asked of ssh too, where it is installed.
var tables = []struct {
	name   string
	config string
	target Target
	want   string // of User
}{
	{"the first value counts", "User joe\nUser ann\n", Target{Host: "h"}, "joe"},
	{"an equals sign", "  user =  joe\n", Target{Host: "h"}, "joe"},
	{"a keyword and an equals sign without space", "User=joe\n", Target{Host: "h"}, "joe"},
	{"quotation marks", "User \"joe\"\n", Target{Host: "h"}, "joe"},
	{"a comment after a value", "User joe # the user\n", Target{Host: "h"}, "joe"},
	{"a comment", "# User joe\nUser ann\n", Target{Host: "h"}, "ann"},
	{"a line with CR", "User joe\r\n", Target{Host: "h"}, "joe"},
	{"a pattern", "Host *.example\nUser joe\nHost *\nUser ann\n", Target{Host: "a.example"}, "joe"},
	{"another host", "Host *.example\nUser joe\nHost *\nUser ann\n", Target{Host: "example"}, "ann"},
	{"one sign", "Host h?\nUser joe\nHost *\nUser ann\n", Target{Host: "h1"}, "joe"},
	{"several patterns, and a TAB", "Host a\tb\nUser joe\nHost *\nUser ann\n", Target{Host: "b"}, "joe"},
	{"a pattern in quotation marks", "Host \"a\"\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "joe"},
	{"an excluded host", "Host * !b\nUser joe\nHost *\nUser ann\n", Target{Host: "b"}, "ann"},
	{"only excluded hosts", "Host !b\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "ann"},
	{"Match all", "Host a\nUser joe\nMatch all\nUser ann\n", Target{Host: "b"}, "ann"},
	{"Match host", "Match host a,b\nUser joe\nMatch all\nUser ann\n", Target{Host: "b"}, "joe"},
	{"Match host is the HostName", "Host a\nHostName b%h\nMatch host ba\nUser joe\nMatch all\nUser ann\n", Target{Host: "a"}, "joe"},
	{"Match originalhost is not", "Host a\nHostName b\nMatch originalhost a\nUser joe\nMatch all\nUser ann\n", Target{Host: "a"}, "joe"},
	{"Match with an excluded host", "Match !host a\nUser joe\nMatch all\nUser ann\n", Target{Host: "a"}, "ann"},
	{"Match with an excluded host, and another one", "Match !host a\nUser joe\nMatch all\nUser ann\n", Target{Host: "b"}, "joe"},
	{"Match of two criteria", "Match host a user bob\nUser joe\nMatch all\nUser ann\n", Target{Host: "a"}, "ann"},
	{"Match user", "Match user bob\nPort 99\nMatch all\nUser ann\n", Target{Host: "a", User: "bob"}, "bob"},
	{"Match final", "Match final all\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "ann"},
	{"Match final for a keyword without a value", "Match final all\nUser joe\nHost b\nUser ann\n", Target{Host: "a"}, "joe"},
	{"Match canonical", "Match canonical\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "ann"},
	{"Match exec", "Match exec false\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "ann"},
	{"an included file", "Include joe\nUser ann\n", Target{Host: "a"}, "joe"},
	{"a pattern of files", "Include j*e nothing\nUser ann\n", Target{Host: "a"}, "joe"},
	{"a file included for another host", "Host b\nInclude joe\nHost *\nUser ann\n", Target{Host: "a"}, "ann"},
	{"a block goes on after a file with blocks", "Host a\nInclude blocks\nUser joe\nHost *\nUser ann\n", Target{Host: "a"}, "joe"},
}

// write writes files, by name and text, into a new directory.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir string, target Target) (*Values, error) {
	t.Helper()
	target.Home, target.Local = dir, "local"
	return Read([]File{{Name: filepath.Join(dir, "config"), Private: true, Dir: dir}}, target)
}

func TestRead(t *testing.T) {
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"config": c.config, "joe": "User joe\n", "blocks": "Host z\nUser zoe\n"})
			values, err := read(t, dir, c.target)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.target.User; got == "" && values.First("user") != c.want {
				t.Errorf("User %q, want %q", values.First("user"), c.want)
			}
		})
	}
}

// ssh agrees with the tables.
func TestSSHAgrees(t *testing.T) {
	ssh, err := exec.LookPath("ssh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no ssh")
	}
	for _, c := range tables {
		t.Run(c.name, func(t *testing.T) {
			dir := write(t, map[string]string{"joe": "User joe\n", "blocks": "Host z\nUser zoe\n"})
			config := strings.NewReplacer("Include joe", "Include "+dir+"/joe", "Include j*e", "Include "+dir+"/j*e", "Include blocks", "Include "+dir+"/blocks").Replace(c.config)
			if err := os.WriteFile(filepath.Join(dir, "config"), []byte(config), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"-G", "-F", filepath.Join(dir, "config")}
			if c.target.User != "" {
				args = append(args, "-l", c.target.User)
			}
			out, err := exec.CommandContext(t.Context(), ssh, append(args, c.target.Host)...).Output()
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains("\n"+string(out), "\nuser "+c.want+"\n") {
				t.Errorf("ssh -G says otherwise than user %s:\n%.200s", c.want, out)
			}
		})
	}
}

func TestWords(t *testing.T) {
	dir := write(t, map[string]string{"config": `
UserKnownHostsFile ~/.ssh/a "b c" 'd e' f\ g # h
IdentityFile one
IdentityFile two
identityfile one
ProxyCommand nc "%h" %p # all of it
ProxyJump late
`})
	values, err := read(t, dir, Target{Host: "h"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := values.Words("userknownhostsfile"), []string{"~/.ssh/a", "b c", "d e", "f g"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := values.IdentityFiles(), []string{"one", "two"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := values.First("ProxyCommand"), `nc "%h" %p # all of it`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := values.First("ProxyJump"); got != "" {
		t.Errorf("ProxyJump %q after a ProxyCommand", got)
	}
}

// A block that only a program could decide does not apply, and is named.
func TestSkipped(t *testing.T) {
	dir := write(t, map[string]string{"config": "Match host a exec \"true\"\nUser joe\nMatch host b exec \"true\"\nUser zoe\nMatch exec x host b\nUser eve\nHost *\nUser ann\n"})
	values, err := read(t, dir, Target{Host: "a"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(dir, "config") + ":1: exec"}; values.First("user") != "ann" || !slices.Equal(values.Skipped, want) {
		t.Errorf("%q, skipped %q, want %q", values.First("user"), values.Skipped, want)
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct{ config, want string }{
		"a keyword alone":            {"\nUser\n", "config:2: User has no value"},
		"a keyword and a comment":    {"User # joe\n", "config:1: User has no value"},
		"half a quotation":           {"User \"joe\n", "config:1: a quotation mark has no other"},
		"a criterion alone":          {"Match host\n", "config:1: the criterion host of Match has no value"},
		"a circle of files":          {"Include config\n", "include each other"},
		"a pattern that is none":     {"Include [\n", "syntax error in pattern"},
		"an included file, in which": {"Include bad\n", "bad:1: User has no value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read(t, write(t, map[string]string{"config": c.config, "bad": "User\n"}), Target{Host: "h"})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	dir := write(t, map[string]string{"config": ""})
	if _, err := Read([]File{{Name: filepath.Join(dir, "none")}}, Target{}); err == nil {
		t.Error("a file that is not there is no error")
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(filepath.Join(dir, "config"), 0o620); err != nil {
		t.Fatal(err)
	}
	if _, err := read(t, dir, Target{Host: "h"}); err == nil || !strings.Contains(err.Error(), "chmod go-w") {
		t.Errorf("a file that others may write to: %v", err)
	}
}

// Without a home directory nothing of the working directory is included.
func TestNoHome(t *testing.T) {
	dir := write(t, map[string]string{"config": "Include joe ~/joe\nUser ann\n", "joe": "User joe\n"})
	t.Chdir(dir)
	values, err := Read([]File{{Name: "config"}}, Target{Host: "h"})
	if err != nil || values.First("User") != "ann" {
		t.Errorf("User %q, %v", values.First("User"), err)
	}
}

// A line that is parsed has words, and no text makes the reader fail otherwise than by an error.
func FuzzParse(f *testing.F) {
	for _, c := range tables {
		for text := range strings.Lines(c.config) {
			f.Add(text)
		}
	}
	f.Add(`a "b\"c" 'd' e\ f # g`)
	f.Fuzz(func(t *testing.T, text string) {
		l, err := parse(text)
		if err == nil && l.keyword != "" && (len(l.words) == 0 || strings.ContainsAny(l.keyword, space+"=")) {
			t.Errorf("%q is %q, %q", text, l.keyword, l.words)
		}
		if err == nil && l.keyword == "match" {
			r := &reader{values: new(Values)}
			r.matches(l.words)
		}
		matchesList(l.words, text)
	})
}
