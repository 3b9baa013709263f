package main

import (
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// During a fetch, the list of processes does not show its passwords, and yet they are
// sent.
func TestPasswordsAreNotInTheProcessList(t *testing.T) {
	type asked struct {
		header nethttp.Header
		goOn   chan struct{}
	}
	requests := make(chan asked)
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if _, _, ok := r.BasicAuth(); !ok && r.URL.Path == "/private" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		a := asked{r.Header, make(chan struct{})}
		requests <- a
		<-a.goOn
	}))
	defer server.Close()
	at := func(login string) string { return strings.Replace(server.URL, "//", "//"+login+"@", 1) }
	out, fields := filepath.Join(t.TempDir(), "out"), filepath.Join(t.TempDir(), "fields")
	if err := os.WriteFile(fields, []byte("X-Other: s3cret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   []string
		want   string // the arguments before the URL in the list
		field  string
		is     string
		target string
	}{
		{[]string{"-u", "joe:s3cret"}, "-u joe:***   ", "Authorization", "Basic am9lOnMzY3JldA==", server.URL + "/private"},
		{[]string{"-vujoe:s3cret"}, "-vujoe:***   ", "Authorization", "Basic am9lOnMzY3JldA==", server.URL + "/private"},
		{[]string{"--user=joe:s3cret", "--user", "joe:s3cret"}, "--user=joe:***    --user joe:***   ", "Authorization", "Basic am9lOnMzY3JldA==", server.URL + "/private"},
		{[]string{"-o", out}, "-o " + out, "Authorization", "Basic am9lOnMzY3JldA==", at("joe:s3cret") + "/private"},
		{[]string{"-H", "X-JWT: s3cret", "-HX-Other:s3cret", "-A", "me"}, "-H X-JWT: ***    -HX-Other: ***   -A me", "X-Jwt", "s3cret", server.URL + "/"},
		{[]string{"-H", "X-Empty;", "-H", "@" + fields}, "-H X-Empty; -H @" + fields, "X-Other", "s3cret", server.URL + "/"},
		{[]string{"-A", "", "-b", "id=s3cret; x=s3cret"}, "-A  -b id=***; x=***      ", "Cookie", "id=s3cret; x=s3cret", server.URL + "/"},
		{[]string{"-e", "http://h/?s3cret"}, "-e http://h/?***   ", "Referer", "http://h/?s3cret", server.URL + "/"},
		{[]string{"-x", at("joe:s3cret"), "-U", "ann:s3cret"}, "-x " + at("joe:***") + "    -U ann:***   ", "Proxy-Authorization", "Basic YW5uOnMzY3JldA==", "http://h.example/"},
	} {
		cmd := exec.Command("fetch", append(c.args, c.target)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		a := <-requests
		if got := a.header.Get(c.field); got != c.is {
			t.Errorf("%q: sent %s %q, want %q", c.args, c.field, got, c.is)
		}
		list, err := os.ReadFile("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		shown := strings.ReplaceAll(string(list), "\x00", " ")
		if strings.Contains(shown, "s3cret") || !strings.HasPrefix(shown, "fetch "+c.want+" http://") {
			t.Errorf("%q: the list shows %q, want %q", c.args, shown, c.want)
		}
		close(a.goOn)
		if err := cmd.Wait(); err != nil {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}
