package keep

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// TestMain runs the tests without the proxies, the configuration and the servers of the
// user.
func TestMain(m *testing.M) {
	os.Setenv("XDG_CONFIG_HOME", "/no-config")
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

// aMoment is the time of each document of serve.
var aMoment = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// A bench is the Files of a command line, in a directory of their own.
type bench struct {
	*Files
	t        *testing.T
	run      *report.Run
	out, err bytes.Buffer
}

// onBench opens the Files of a command line, which has one URL.
func onBench(t *testing.T, line ...string) *bench {
	t.Helper()
	b := &bench{t: t}
	o := optionsOf(t, line...)
	s := term.New(strings.NewReader(""), &b.out, &b.err)
	st, err := stack.Build(t.Context(), o, s)
	if err != nil {
		t.Fatal(err)
	}
	if b.Files, err = Open(o, false, st, s); err != nil {
		t.Fatal(err)
	}
	if b.run, err = report.Open(t.Context(), o, s, "test"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		st.CloseIdle()
		b.Close()
		b.run.EndFiles()
		b.run.EndScript(nil)
	})
	return b
}

// optionsOf returns the Options of a command line, which has one URL.
func optionsOf(t *testing.T, line ...string) *option.Options {
	t.Helper()
	o, _, err := option.Parse(t.Context(), "get", append([]string{"--no-config", "http://127.0.0.1:1/"}, line...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// get does as the verb: it places and saves the file of a job.
func (b *bench) get(ctx context.Context, j job.Job) (*report.Fetch, *fetchers.Resource, error) {
	file := File{Job: j}
	fetch := b.run.Begin(j)
	req := requestFor(b.t, j.Text)
	placed, err := b.Place(file, req, false)
	if err != nil {
		return fetch, nil, err
	}
	res, err := b.Save(ctx, placed, req, fetch)
	return fetch, res, err
}

func requestFor(t *testing.T, text string) *fetchers.Request {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &fetchers.Request{URL: u}
}

// serve returns the URL of a server of some documents, by their path.
func serve(t *testing.T, documents map[string]string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := documents[r.URL.Path]
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		http.ServeContent(w, r, filepath.Base(r.URL.Path), aMoment, strings.NewReader(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func sumOf(t *testing.T, text string) download.Sum {
	t.Helper()
	sum, err := download.ParseSum(text)
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

func contents(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// fails reports an error that is not nil as wanted, and has other words or another class.
func fails(t *testing.T, err error, class record.Class, words string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want %s: %s", class, words)
		return
	}
	if got, _ := record.Classify(err); got != class || !strings.Contains(err.Error(), words) {
		t.Errorf("%s: %v\nwant %s: %s", got, err, class, words)
	}
}
