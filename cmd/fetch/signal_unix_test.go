//go:build unix

package main

import (
	"bytes"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// interrupted runs the command, waits until it is ready, and checks that one interrupt
// ends it.
func interrupted(t *testing.T, ready func() bool, args ...string) {
	t.Helper()
	interruptedBy(t, []os.Signal{os.Interrupt}, ready, args...)
}

// interruptedBy is interrupted with several signals, which follow each other at once.
func interruptedBy(t *testing.T, signals []os.Signal, ready func() bool, args ...string) {
	t.Helper()
	cmd := exec.Command("fetch", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var late atomic.Bool
	defer time.AfterFunc(20*time.Second, func() {
		late.Store(true)
		cmd.Process.Kill()
	}).Stop()
	for !ready() && !late.Load() {
		time.Sleep(5 * time.Millisecond)
	}
	for _, s := range signals {
		cmd.Process.Signal(s)
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 {
		t.Errorf("%q: %v, want 130; it says %q", args, cmd.ProcessState, &stderr)
	}
}

// Two signals at once count as one: timeout(1) signals the command and then the group of the
// command. The bytes that arrived before are kept for the next run.
func TestTwoSignalsAtOnceKeepThePartialFile(t *testing.T) {
	const came = 1 << 20
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("ETag", `"x"`)
		w.Header().Set("Content-Length", "3000000")
		w.Write(make([]byte, came))
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	for range 5 {
		name := filepath.Join(t.TempDir(), "file")
		interruptedBy(t, []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGTERM, os.Interrupt}, func() bool {
			info, err := os.Stat(name + ".part")
			return err == nil && info.Size() >= came
		}, "--segments", "1", "-o", name, server.URL)
		if journal, err := os.ReadFile(name + ".part.json"); err != nil || !bytes.Contains(journal, []byte(`"have":[[0,1048576]]`)) {
			t.Errorf("it keeps %s, %v; want the first %d octets", journal, err, came)
		}
	}
}
