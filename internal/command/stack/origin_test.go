package stack

import (
	"context"
	"errors"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/record"
)

// A listener is a server that notes the fields X-Key, Authorization and Cookie of requests,
// and sends a cookie.
type listener struct {
	*httptest.Server
	mu   sync.Mutex
	came []string
}

func listen(t *testing.T) *listener {
	l := new(listener)
	l.Server = httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		user, password, _ := r.BasicAuth()
		l.came = append(l.came, strings.Join([]string{r.Header.Get("X-Key"), user + password, r.Header.Get("Cookie")}, "|"))
		if r.URL.Path == "/login" && user == "" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		nethttp.SetCookie(w, &nethttp.Cookie{Name: "sid", Value: "1", Path: "/"})
	}))
	t.Cleanup(l.Close)
	return l
}

// said returns the notes, and forgets them.
func (l *listener) said() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	said := strings.Join(l.came, " ")
	l.came = nil
	return said
}

// fetchAll fetches a request and closes the result.
func fetchAll(t *testing.T, f fetchers.Fetcher, req *fetchers.Request) error {
	t.Helper()
	res, err := f.Fetch(t.Context(), req)
	if err == nil {
		res.Close()
	}
	return err
}

// The section of an origin adds its fields and its login to the requests there, and to no
// others. A URL that a stranger names gets neither.
func TestSectionsAreForTheirOrigin(t *testing.T) {
	here, there := listen(t), listen(t)
	config := write(t, "config.toml", "[\""+here.URL+"\"]\nheader = \"X-Key: k\"\nuser = \"joe:s3cret\"\n")
	st := build(t, "--config", config, "--retry", "0")
	for _, c := range []struct {
		server *listener
		path   string
		job    job.Job
		want   string
	}{
		{here, "/", job.Job{}, "k||"},
		{here, "/login", job.Job{}, "k|| k|joes3cret|"},
		{there, "/", job.Job{}, "||"},
		{here, "/", job.Job{Stranger: true}, "||"},
	} {
		c.job.Text = c.server.URL + c.path
		req, err := st.Request(c.job)
		if err != nil {
			t.Fatal(err)
		}
		if err := fetchAll(t, st.Fetcher, req); err != nil {
			t.Error(err)
		}
		if got := c.server.said(); got != c.want {
			t.Errorf("%s: the server sees %q, want %q", c.job.Text, got, c.want)
		}
	}
}

// All origins have their cookies from one jar.
func TestSectionsShareTheJar(t *testing.T) {
	server := listen(t)
	other := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	config := write(t, "config.toml", "[\""+server.URL+"\"]\nheader = \"X-Key: k\"\n")
	st := build(t, "--config", config, "--cookie-jar", write(t, "jar", ""), "--connect-to", "localhost::127.0.0.1:")
	for range 2 {
		for _, u := range []string{server.URL, other} {
			if err := fetchAll(t, st.Fetcher, request(t, st, u+"/")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, want := server.said(), "k|| || k||sid=1 ||sid=1"; got != want {
		t.Errorf("the server sees %q, want %q", got, want)
	}
	if st.origins.of(request(t, st, server.URL+"/").URL).protocols.web.Jar != st.protocols.web.Jar {
		t.Error("there are two jars")
	}
}

// The files of a section are read when its origin is asked, and the error is one of the
// connection there.
func TestSectionsOpenLate(t *testing.T) {
	here, there := listen(t), listen(t)
	config := write(t, "config.toml", "[\""+here.URL+"\"]\ncacert = \"/no/such/file\"\n")
	st := build(t, "--config", config, "--retry", "0")
	if err := fetchAll(t, st.Fetcher, request(t, st, there.URL+"/")); err != nil {
		t.Error(err)
	}
	err := fetchAll(t, st.Fetcher, request(t, st, here.URL+"/"))
	if _, input := errors.AsType[record.InputError](err); !input || !strings.HasPrefix(err.Error(), "connect "+here.URL+"/: open /no/such/file: ") {
		t.Errorf("the error is %v", err)
	}
}

// With -v the values of a section are told once, and its login only when it is used.
func TestSectionsAreTold(t *testing.T) {
	server := listen(t)
	config := write(t, "config.toml", "[\""+server.URL+"\"]\nheader = \"X-Key: k\"\nuser = \"joe:s3cret\"\n")
	st := build(t, "--config", config)
	var told []string
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		Note: func(_ context.Context, text string) { told = append(told, text) },
		Login: func(_ context.Context, o fetchers.Origin, source string) {
			told = append(told, "login for "+o.Host+" from "+source)
		},
	})
	for range 2 {
		res, err := st.Fetcher.Fetch(ctx, request(t, st, server.URL+"/"))
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
	}
	want := "--header X-Key: *** from " + config + ":2|login for 127.0.0.1 from " + config + ":3|login for 127.0.0.1 from " + config + ":3"
	if got := strings.Join(told, "|"); got != want {
		t.Errorf("%q is told, want %q", got, want)
	}
}
