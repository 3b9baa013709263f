package stack

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// The news server is that of the flag, of the environment, or of the first file that names
// one, and -v says which file that is.
func TestNewsServer(t *testing.T) {
	if _, err := os.Stat("/etc/news/server"); err == nil {
		t.Skip("this machine has a news server")
	}
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	file := filepath.Join(config, "fetch", "news-server")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given, variable, text string
		want, said            string
	}{
		{"", "", "", "", ""},
		{"", "", "# remark\n\n n.example \nother.example\n", "n.example", "* news server n.example from " + file + "\n"},
		{"", "v.example", "n.example", "v.example", "* news server v.example from NNTPSERVER\n"},
		{"g.example:1190", "v.example", "n.example", "g.example:1190", ""},
	} {
		t.Setenv("NNTPSERVER", c.variable)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		st, err := Build(t.Context(), options(t, "--no-config", "--news-server", c.given), term.New(nil, io.Discard, &said).With(term.Settings{Verbose: true}))
		if err != nil {
			t.Fatal(err)
		}
		_, err = st.Request(job.Job{Text: "news:a.group"})
		if st.shared.news.addr != c.want || (err == nil) != (c.want != "") || said.String() != c.said {
			t.Errorf("%+v: %q, %v, %q is said", c, st.shared.news.addr, err, said.String())
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NNTPSERVER", "")
	st := build(t)
	_, err := st.Request(job.Job{Text: "news:a.group"})
	if _, input := errors.AsType[record.InputError](err); !input {
		t.Errorf("a file that cannot be read is %v", err)
	}
	if _, err := st.Request(job.Job{Text: "nntp://h.example/a.group/1"}); err != nil {
		t.Errorf("a URL with a server: %v", err)
	}
}

// A server that is more than a host, and a message that is none, are errors.
func TestBadNews(t *testing.T) {
	_, err := Build(t.Context(), options(t, "--news-server", "joe@n.example"), silent())
	wantUsage(t, "server", err, `--news-server wants HOST or HOST:PORT, not "joe@n.example"`)
	_, err = Build(t.Context(), options(t, "--ssl-reqd", "--in", "http://h.example/m"), silent())
	wantUsage(t, "message", err, "--in http://h.example/m: --ssl-reqd wants TLS")
	for _, name := range []string{"/no/such/file", t.TempDir()} {
		_, err := Build(t.Context(), options(t, "--in", name), silent())
		if _, input := errors.AsType[record.InputError](err); !input {
			t.Errorf("--in %s: %v", name, err)
		}
	}
}

// A URL without a server takes the login of the news server.
func TestNewsLogin(t *testing.T) {
	netrc := write(t, "netrc", "machine n.example login joe password s3cret\n")
	st := build(t, "--news-server", "n.example:1190", "--netrc-file", netrc)
	for _, o := range []fetchers.Origin{{Scheme: "news"}, {Scheme: "mid"}, {Scheme: "nntp", Host: "n.example"}} {
		if c, err := st.Client.Keychain.Lookup(t.Context(), o); err != nil || c.User != "joe" {
			t.Errorf("%+v: %q, %v", o, c.User, err)
		}
	}
	if _, err := st.Client.Keychain.Lookup(context.Background(), fetchers.Origin{Scheme: "http"}); !errors.Is(err, fetchers.ErrLogin) {
		t.Errorf("http without a host: %v", err)
	}
}
