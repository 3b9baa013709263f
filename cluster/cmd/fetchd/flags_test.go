package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/record"
)

// TestFlagsOfFetch: a worker takes the flags of fetch about requests, logins, schemes and limits, and its
// configuration.
func TestFlagsOfFetch(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(config, []byte("referer = \"http://from.example/\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	asked := make(map[string]http.Header)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked[r.URL.Path] = r.Header.Clone()
		mu.Unlock()
		if _, _, ok := r.BasicAuth(); r.URL.Path == "/login" && !ok {
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Write(make([]byte, 100))
		if r.URL.Path == "/large" {
			w.Write(make([]byte, 1000))
		}
	}))
	defer site.Close()
	at := up(t)
	list := strings.Join([]string{site.URL + "/login", site.URL + "/large", "gopher://127.0.0.1:1/"}, "\n")
	if status, _, errs := fetchd(t, t.Context(), at, list, "add", "-i", "-"); status != record.ExitOK {
		t.Fatal(errs)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var work sync.WaitGroup
	work.Go(func() {
		status, out, errs := fetchd(t, ctx, at, "", "work", "--sink", t.TempDir(), "--state", t.TempDir(), "--flush", "0.1", "--config", config,
			"-H", "X-Key: of the user", "-A", "agent/1", "-u", "me:s3cret", "--proto", "http", "--max-filesize", "1k", "-j", "2", "--retry", "0")
		if status != record.ExitOK || out != "" || strings.Contains(errs, "s3cret") {
			t.Errorf("work: %d, %s, %s", status, out, errs)
		}
	})
	fetchd(t, t.Context(), at, "", "status", "-w")
	stop()
	work.Wait()
	_, out, _ := fetchd(t, t.Context(), at, "", "records", "--final")
	for _, want := range []string{`/login","scheme":"http","kind":"document"`, `"class":"too-large"`, `gopher is not allowed: --proto is http`} {
		if strings.Count(out, want) != 1 {
			t.Errorf("there is not one %s in\n%s", want, out)
		}
	}
	got := asked["/login"]
	if name, password, _ := (&http.Request{Header: got}).BasicAuth(); name != "me" || password != "s3cret" {
		t.Errorf("login %q", got.Get("Authorization"))
	}
	for field, want := range map[string]string{"X-Key": "of the user", "User-Agent": "agent/1", "Referer": "http://from.example/"} {
		if got.Get(field) != want {
			t.Errorf("%s: %q, want %q", field, got.Get(field), want)
		}
	}
}

// TestFlagsThatAreNotForWorkers: a flag that is about files or standard output, or is mistyped, is refused
// before anything is fetched.
func TestFlagsThatAreNotForWorkers(t *testing.T) {
	for args, want := range map[string]string{
		"--hedaer X:y":                  "--header",
		"-o out":                        "unknown shorthand flag: 'o'",
		"--json":                        "unknown flag: --json",
		"--retry x":                     "fetchd work --help",
		"--random-wait":                 "goes with -w",
		"--ipv4 --ipv6":                 "contradict each other",
		"--netrc-file /no/such/file":    "no such file",
		"--cacert /no/such/file":        "no such file",
		"--config /no/such/config.toml": "no such file",
	} {
		status, _, errs := fetchd(t, t.Context(), "nats://127.0.0.1:1", "", append([]string{"work", "--sink", t.TempDir(), "--state", t.TempDir()}, strings.Fields(args)...)...)
		if status != record.ExitUsage && status != record.ExitInput || !strings.Contains(errs, want) {
			t.Errorf("%s: exit status %d, %s", args, status, errs)
		}
	}
}

// TestWaitHoldsForRedirections: with --wait, the target of a redirection has its turn, too.
func TestWaitHoldsForRedirections(t *testing.T) {
	var mu sync.Mutex
	var asked []time.Time
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, time.Now())
		mu.Unlock()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/here", http.StatusFound)
		}
	}))
	defer site.Close()
	at := up(t)
	if status, _, errs := fetchd(t, t.Context(), at, "", "add", site.URL+"/moved"); status != record.ExitOK {
		t.Fatal(errs)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var work sync.WaitGroup
	work.Go(func() {
		if status, _, errs := fetchd(t, ctx, at, "", "work", "--sink", t.TempDir(), "--state", t.TempDir(), "--flush", "0.1", "--wait", "1"); status != record.ExitOK {
			t.Errorf("work: %d, %s", status, errs)
		}
	})
	fetchd(t, t.Context(), at, "", "status", "-w")
	stop()
	work.Wait()
	if len(asked) != 2 || asked[1].Sub(asked[0]) < time.Second {
		t.Errorf("requests at %v", asked)
	}
}

// TestPeersThatAreOpen: a server by which a stranger could join the cluster is a mistake in the flags.
func TestPeersThatAreOpen(t *testing.T) {
	status, _, errs := fetchd(t, t.Context(), "nats://127.0.0.1:1", "", "up", "--dir", t.TempDir(), "--listen", "127.0.0.1:0", "--peers", "0.0.0.0:0")
	if status != record.ExitUsage || !strings.Contains(errs, "any server could join") {
		t.Errorf("exit status %d, %s", status, errs)
	}
}
