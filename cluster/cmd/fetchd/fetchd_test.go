package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/record"

	"github.com/seed1ea3422f/fetch/cluster"
	"github.com/seed1ea3422f/fetch/cluster/engine"
)

// fetchd runs the command at a server.
func fetchd(t *testing.T, ctx context.Context, at, in string, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(ctx, append(args, "--nats", at), streams{strings.NewReader(in), &o, &e})
	return status, o.String(), e.String()
}

func up(t *testing.T) string {
	t.Helper()
	s, err := engine.Start(engine.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s.URL()
}

func TestRefusedCommandLines(t *testing.T) {
	for _, c := range []struct {
		args string
		exit int
		says string
	}{
		{"add", record.ExitUsage, "there is no URL"},
		{"add --crawl -i list http://h.example/", record.ExitUsage, "--crawl begins"},
		{"work", record.ExitUsage, "--sink"},
		{"work --sink d extra", record.ExitUsage, "extra"},
		{"work --sink s3://user@bucket/", record.ExitUsage, "s3://BUCKET"},
		{"work --sink s3://", record.ExitUsage, "s3://BUCKET"},
		{"retry", record.ExitUsage, "class of failure"},
		{"retry nonsense", record.ExitUsage, `"nonsense" is no class`},
		{"nonsense", record.ExitUsage, "unknown command"},
		{"status --nonsense", record.ExitUsage, "nonsense"},
		{"status --tls-ca /no/such/file", record.ExitInput, "no such file"},
		{"status --creds /no/such/file", record.ExitInput, "no such file"},
		{"status --job a.b", record.ExitReceive, "name of a job"},
	} {
		at := "nats://127.0.0.1:1"
		if strings.Contains(c.args, "--job") {
			at = up(t)
		}
		status, out, errs := fetchd(t, t.Context(), at, "", strings.Fields(c.args)...)
		if status != c.exit || out != "" || !strings.HasPrefix(errs, "fetchd: ") || !strings.Contains(errs, c.says) {
			t.Errorf("fetchd %s: exit status %d, %q, %q", c.args, status, out, errs)
		}
	}
}

func TestLinesOfAListThatAreNotAdded(t *testing.T) {
	at := up(t)
	list := "\uFEFFhttp://h.example/a\r\n# a remark\n\nhttp://h.example/b\tout=b.txt\tmirror=http://m.example/\nhttp://h.example/c\tsha256=xyz\n" +
		"http://h.example/d\tpassword\nftp://me:hunter2@h.example/\nhttp://h.example/" + strings.Repeat("x", 70_000) + "\nhttp://h.example/e\tout=c.txt"
	status, _, errs := fetchd(t, t.Context(), at, list, "add", "-i", "-")
	if status != record.ExitInput || strings.Contains(errs, "hunter2") || strings.Contains(errs, "d\tpassword") {
		t.Errorf("exit status %d: %s", status, errs)
	}
	for _, want := range []string{"-:5: ", "-:6: ", "-:7: ", "-:8: the line has more than", "out= is not used", "mirror= is not used", "3 URLs are added", "4 lines are not added"} {
		if strings.Count(errs, want) != 1 {
			t.Errorf("%q is not said once: %s", want, errs)
		}
	}
	_, out, _ := fetchd(t, t.Context(), at, "", "status", "--json")
	var s cluster.Status
	if err := json.Unmarshal([]byte(out), &s); err != nil || s.Waiting != 1 || s.Free != 256 {
		t.Errorf("%s, %v", out, err)
	}
}

// Workers that are drained end their fetches; then nothing has an owner.
func TestDrain(t *testing.T) {
	at := up(t)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if status, _, errs := fetchd(t, ctx, at, "", "work", "--sink", t.TempDir(), "--state", t.TempDir(), "--name", "w\x1b[2J"); status != 0 {
			t.Errorf("work: %d, %s", status, errs)
		}
	})
	free := func() int {
		_, out, _ := fetchd(t, t.Context(), at, "", "status", "--json")
		var s cluster.Status
		if err := json.Unmarshal([]byte(out), &s); err != nil {
			t.Fatal(out, err)
		}
		return s.Free
	}
	for free() > 0 {
	}
	if status, _, errs := fetchd(t, t.Context(), at, "", "drain"); status != 0 || free() != 256 {
		t.Errorf("drain: %d, %s", status, errs)
	}
	_, out, _ := fetchd(t, t.Context(), at, "", "status")
	if !strings.Contains(out, "workers take nothing") || !strings.Contains(out, "256 partitions have no worker") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
	if status, _, errs := fetchd(t, t.Context(), at, "", "drain", "--end"); status != 0 {
		t.Errorf("drain --end: %d, %s", status, errs)
	}
	for free() > 0 {
	}
	stop()
	work.Wait()
	if free() != 256 {
		t.Error("the worker has not given its partitions back")
	}
}

func TestPasswordFileOfUp(t *testing.T) {
	if status, _, errs := fetchd(t, t.Context(), "", "", "up", "--password-file", filepath.Join(t.TempDir(), "none")); status != record.ExitInput {
		t.Errorf("%d: %s", status, errs)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	dir := t.TempDir()
	file := filepath.Join(dir, "password")
	if err := os.WriteFile(file, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, errs := fetchd(t, ctx, "", "", "up", "--dir", dir, "--listen", "127.0.0.1:0", "--user", "w", "--password-file", file)
	if status != 0 || strings.Contains(errs, "hunter2") {
		t.Errorf("%d: %s", status, errs)
	}
}
