package main

import (
	"errors"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
)

// TestExcerptAtTerminal: a terminal shows the first lines of the text that came with an error of
// HTTP. A pipe does not get them, nor does a silent run show them.
func TestExcerptAtTerminal(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(nethttp.StatusBadRequest)
		io.WriteString(w, "{\n\t\"error\": \"no \x1b[2Jsuch\u202e thing\",\n"+strings.Repeat("\t\"x\": 1,\n", 10)+"}\n")
	}))
	defer server.Close()
	failure := "fetch: " + server.URL + ": 400 Bad Request\n"
	text := "fetch: | {\nfetch: |   \"error\": \"no \\x1b[2Jsuch\\u202e thing\",\n" + strings.Repeat("fetch: |   \"x\": 1,\n", 3) + "fetch: | …\n"
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, failure + text},
		{[]string{"-o", "out"}, failure + text},
		{[]string{"-s"}, ""},
		{[]string{"-sS"}, failure},
	} {
		t.Chdir(t.TempDir())
		term := atTerminalOf(t, 80, "dumb", append(c.args, server.URL)...)
		if status := term.Wait(); status != 22 {
			t.Errorf("%q: exit status %d", c.args, status)
		}
		if got := strings.ReplaceAll(term.Screen(), "\r\n", "\n"); got != c.want {
			t.Errorf("%q: it shows %q, want %q", c.args, got, c.want)
		}
	}
	var exit *exec.ExitError
	if _, err := exec.Command("fetch", server.URL).Output(); !errors.As(err, &exit) || string(exit.Stderr) != failure {
		t.Errorf("%v: a pipe gets %q", err, exit.Stderr)
	}
}
