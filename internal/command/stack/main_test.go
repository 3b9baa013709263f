package stack

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/leak"
)

// TestMain runs the tests without the proxies, the configuration and the servers of the
// user.
func TestMain(m *testing.M) {
	os.Setenv("XDG_CONFIG_HOME", "/no-config")
	os.Setenv("XDG_STATE_HOME", os.DevNull) // below which there is no file
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasSuffix(strings.ToLower(name), "_proxy") {
			os.Unsetenv(name)
		}
	}
	for _, name := range []string{"NETRC", "NNTPSERVER", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		os.Unsetenv(name)
	}
	leak.Main(m)
}

// parse returns the Options of a command line of a verb, which has one URL.
func parse(t *testing.T, verb string, args ...string) (*option.Options, error) {
	t.Helper()
	o, _, err := option.Parse(t.Context(), verb, append([]string{"http://h.example/"}, args...))
	return o, err
}

// options returns the Options of a command line that makes sense.
func options(t *testing.T, args ...string) *option.Options {
	t.Helper()
	o, err := parse(t, "get", args...)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// silent are streams that nothing is seen of.
func silent() *term.Streams {
	return term.New(strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer))
}

// build returns the stack of a command line. It is closed at the end of the test.
func build(t *testing.T, args ...string) *Stack {
	t.Helper()
	st, err := Build(t.Context(), options(t, args...), silent())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(st.CloseIdle)
	return st
}

// request returns the request of a stack for a text.
func request(t *testing.T, st *Stack, text string) *fetchers.Request {
	t.Helper()
	req, err := st.Request(job.Job{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// write writes a file into a directory of the test and returns its name.
func write(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}
