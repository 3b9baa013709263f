package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// place returns a state directory without servers, and a server with free ports.
func place(t *testing.T) (dir string, s servers.Server) {
	t.Helper()
	dir = t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil { // as servers want it
		t.Fatal(err)
	}
	for base := 15000; base < 20000; base += 200 {
		t.Setenv("FETCH_REAL_BASE", strconv.Itoa(base))
		s, _ = servers.Find("vsftpd")
		if vacant(s) == nil {
			return dir, s
		}
	}
	t.Fatal("no port is free")
	return
}

// cooked replaces the recipe of a server until the test ends.
func cooked(t *testing.T, name string, r recipe) {
	t.Helper()
	usual := recipes[name]
	t.Cleanup(func() { recipes[name] = usual })
	r.packages, r.folder = []string{"no-such-package"}, "vsftpd"
	recipes[name] = r
}

// serving is a recipe for the server that this test is.
func serving(t *testing.T, greeting string) recipe {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return recipe{program: program, args: []string{"serve", "${BIND}:${PORT}", greeting}, greeting: "220 "}
}

// upAndDown runs a verb and returns its status and its output.
func upAndDown(verb, dir string, s servers.Server) (int, string) {
	var out strings.Builder
	status := run([]string{verb, "-dir", dir, s.Name}, &out, &out)
	return status, out.String()
}

// A server that cannot start prints the reason, and leaves no process.
func TestServerThatCannotStartLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		name   string
		recipe recipe
		taken  bool
		want   string
	}{
		{"its port is taken", serving(t, "220 ready"), true, "vsftpd: port PORT is taken"},
		{"its package is missing", recipe{program: "/no/such/program"}, false,
			"vsftpd: package no-such-package of Debian is neither installed nor in PREFIX/no-such-package: install it (there is no apt-get to fetch it with)"},
		{"it ends at once", recipe{program: "/bin/sh", args: []string{"-c", "echo no such user; exit 3"}}, false,
			"vsftpd: it ended at once: exit status 3\nreal:   no such user"},
		{"it ends at once and leaves a child", recipe{program: "/bin/sh", args: []string{"-c", "setsid sleep 60 & exit 3"}}, false,
			"vsftpd: it ended at once: exit status 3"},
		{"it only complains", serving(t, "500 OOPS: no directory"), false, `vsftpd: it greets with "500 OOPS: no directory"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, s := place(t)
			prefix := t.TempDir()
			t.Setenv("FETCH_REAL_PREFIX", prefix)
			cooked(t, s.Name, c.recipe)
			if c.recipe.program == "/no/such/program" {
				t.Setenv("PATH", t.TempDir())
			}
			if c.taken {
				l, err := net.Listen("tcp", s.Addr("ftp"))
				if err != nil {
					t.Fatal(err)
				}
				defer l.Close()
			}
			want := strings.NewReplacer("PORT", strconv.Itoa(s.Port("ftp")), "PREFIX", prefix).Replace(c.want)
			if status, out := upAndDown("up", dir, s); status != 1 || !strings.Contains(out, want) {
				t.Errorf("status %d, it says\n%swant\n%s", status, out, want)
			}
			if st, err := load(dir); err != nil || len(st) != 0 {
				t.Errorf("it is recorded: %v, %v", st, err)
			}
			if left := started(t, s); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			if err := vacant(s); (err != nil) != c.taken {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// started returns the processes that this process has started as the server, by the
// mark that they all have.
func started(t *testing.T, s servers.Server) (found []string) {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("FETCH_REAL_MARK=%s-%d-", s.Name, os.Getpid())
	for _, name := range environments {
		if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), mark) {
			found = append(found, name)
		}
	}
	return found
}

// Down ends the processes that up has started, and no others: neither another process of the same
// program, nor a process that has the id of an ended server.
func TestDownEndsOnlyProcessesOfUp(t *testing.T) {
	dir, s := place(t)
	r := serving(t, "220 ready")
	cooked(t, s.Name, r)
	other := exec.Command(r.program, "serve", "127.0.0.1:0", "220 ready")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { other.Process.Kill(); other.Wait() }()

	if status, out := upAndDown("up", dir, s); status != 0 {
		t.Fatal(status, out)
	}
	if status, out := upAndDown("up", dir, s); status != 0 || out != "vsftpd is already up\n" {
		t.Errorf("once more: %d, %s", status, out)
	}
	st, err := load(dir)
	if err != nil || !st[s.Name].alive() {
		t.Fatalf("%v, %v", st, err)
	}
	p, _ := processOf(other.Process.Pid)
	st["nginx"] = record{PID: p.pid, Start: p.start - 1, Command: p.command, Mark: "FETCH_REAL_MARK=gone"}
	if err := st.save(dir); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if status := run([]string{"down", "-dir", dir}, &out, &out); status != 0 {
		t.Error(status, out.String())
	}
	if err := vacant(s); err != nil {
		t.Errorf("after down: %v", err)
	}
	if st, err := load(dir); err != nil || len(st) != 0 {
		t.Errorf("after down are recorded: %v, %v", st, err)
	}
	if p, ok := processOf(other.Process.Pid); !ok {
		t.Errorf("the other one has ended: %+v", p)
	}
}
