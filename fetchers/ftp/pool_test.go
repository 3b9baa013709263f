package ftp_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// The scripts in the directory again fetch the same URL twice.
func TestAgainScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/ftp/again/*.txt", func() fetchers.Fetcher {
		f := trusting()
		t.Cleanup(f.CloseIdle)
		return fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			first, err := f.Fetch(ctx, req)
			if err != nil {
				return nil, err
			}
			if _, err := io.ReadAll(first.Body); err != nil {
				return nil, err
			}
			first.Close()
			return f.Fetch(ctx, req)
		})
	})
}

// trusting returns a Fetcher that uses kept connections without a NOOP.
func trusting() *ftp.Fetcher {
	f := new(ftp.Fetcher)
	f.Trust(time.Hour)
	return f
}

// said returns a function that returns the commands since its last call, on one line.
func said(server *ftptest.Server) func() string {
	n := 0
	return func() string {
		all := server.Transcript()
		defer func() { n = len(all) }()
		return strings.Join(all[n:], "|")
	}
}

// A kept connection changes from one directory to the next by the necessary commands only: CWDs
// below the current directory, or a way back by the path of PWD (RFC 1738, section 3.2.5; clauses
// U-3.2.5-1, U-3.2.5-2 and W-FTP-7).
func TestReuse(t *testing.T) {
	tree := fstest.MapFS{
		"home/joe/top":       {Data: []byte("top\n")},
		"home/joe/a/one":     {Data: []byte("one\n")},
		"home/joe/a/two":     {Data: []byte("two\n")},
		"home/joe/a/b/three": {Data: []byte("three\n")},
		"home/joe/c/four":    {Data: []byte("four\n")},
	}
	server := ftptest.NewServer(tree, ftptest.Home("home/joe"))
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	heard := said(server)
	const login = "USER anonymous|PASS ftp@example.com|FEAT|TYPE I|"
	for _, step := range []struct{ path, want string }{
		{"/a/one", login + "CWD a|SIZE one|EPSV|RETR one"},
		{"/a/two", "SIZE two|EPSV|RETR two"},
		{"/a/b/three", "CWD b|SIZE three|EPSV|RETR three"},
		// This is the second connection, so that PWD is sent.
		{"/c/four", login + "PWD|CWD c|SIZE four|EPSV|RETR four"},
		{"/a/one", "CWD /home/joe|CWD a|SIZE one|EPSV|RETR one"},
		{"/top", "CWD /home/joe|SIZE top|EPSV|RETR top"},
		{"/c/four", "CWD c|SIZE four|EPSV|RETR four"},
		{"/c/", "OPTS UTF8 ON|TYPE A|EPSV|MLSD"},
		{"/c/;type=d", "EPSV|NLST"},
		{"/c/four", "TYPE I|SIZE four|EPSV|RETR four"},
		{"/c/nope", "SIZE nope|EPSV|RETR nope|CWD nope"},
		{"/c/four", "SIZE four|EPSV|RETR four"},
		{"/nope/four", "CWD /home/joe|CWD nope|SIZE four|EPSV"},
		{"/c/four", "CWD c|SIZE four|EPSV|RETR four"},
		{"/%2Fhome/joe/a/one", "CWD /home/joe|CWD /home|CWD joe|CWD a|SIZE one|EPSV|RETR one"},
		{"/a", "CWD /home/joe|SIZE a|EPSV|RETR a|CWD a"},
		{"/a/one", "SIZE one|EPSV|RETR one"},
	} {
		got, err := get(t, f, server.URL+step.path)
		if strings.Contains(step.path, "nope") {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %q, %v", step.path, got, err)
			}
		} else if err != nil {
			t.Errorf("%s: %v", step.path, err)
		}
		if told := strings.TrimPrefix(heard(), "QUIT|"); told != step.want {
			t.Errorf("%s: the server heard\n%q, want\n%q", step.path, told, step.want)
		}
	}
	if n := server.Logins(); n != 2 {
		t.Errorf("%d logins, want 2", n)
	}
}

// If there is no way back, the fetch uses a new connection.
func TestNoWayBack(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.Reply("CWD /", "550 You cannot get there from here."))
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	for _, path := range []string{"/pub/poem.txt", "/pub/deep/a/b.txt", "/pub/poem.txt", "/pub/poem.txt"} {
		if _, err := get(t, f, server.URL+path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	// The third fetch tries to return to pub, which fails; the fourth is in pub.
	if n := server.Logins(); n != 2 {
		t.Errorf("%d logins, want 2: %q", n, server.Transcript())
	}
}

// The ways to a directory, for servers that do not need that of RFC 1738.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		method     ftp.Method
		path, want string
	}{
		{ftp.MultiCWD, "/pub/deep/a/b.txt", "CWD pub|CWD deep|CWD a|SIZE b.txt|EPSV|RETR b.txt"},
		{ftp.SingleCWD, "/pub/deep/a/b.txt", "CWD pub/deep/a|SIZE b.txt|EPSV|RETR b.txt"},
		{ftp.NoCWD, "/pub/deep/a/b.txt", "SIZE pub/deep/a/b.txt|EPSV|RETR pub/deep/a/b.txt"},
		{ftp.SingleCWD, "//pub/deep/a/b.txt", "CWD /pub/deep/a|SIZE b.txt|EPSV|RETR b.txt"},
		{ftp.NoCWD, "//pub/deep/a/b.txt", "SIZE /pub/deep/a/b.txt|EPSV|RETR /pub/deep/a/b.txt"},
		{ftp.NoCWD, "/%2Fpub/poem.txt", "SIZE /pub/poem.txt|EPSV|RETR /pub/poem.txt"},
		{ftp.NoCWD, "/pub/deep/a/", "CWD pub/deep/a|TYPE A|EPSV|MLSD"},
		{ftp.NoCWD, "/pub/deep;type=d", "TYPE A|EPSV|NLST pub/deep"},
		{ftp.NoCWD, "/pub/deep/a/b.txt;type=d", "TYPE A|EPSV|NLST pub/deep/a/b.txt|CWD pub/deep/a/b.txt"},
	} {
		server := ftptest.NewServer(files)
		f := &ftp.Fetcher{Method: c.method}
		_, err := get(t, f, server.URL+c.path)
		_, told, _ := strings.Cut(strings.Join(server.Transcript(), "|"), "|TYPE I|")
		told = strings.TrimPrefix(told, "OPTS UTF8 ON|")
		if err != nil || told != c.want {
			t.Errorf("method %d, %s: %v, the server heard\n%q, want\n%q", c.method, c.path, err, told, c.want)
		}
		f.CloseIdle()
		server.Close()
	}
}

// A single fetch sends no command that only later fetches need.
func TestRoundTripsOfASingleFetch(t *testing.T) {
	for _, once := range []bool{true, false} {
		server := ftptest.NewServer(files)
		f := &ftp.Fetcher{NoReuse: once}
		get(t, f, server.URL+"/pub/deep/a/b.txt")
		f.CloseIdle()
		server.Close()
		want := "USER anonymous|PASS ftp@example.com|FEAT|TYPE I|CWD pub|CWD deep|CWD a|SIZE b.txt|EPSV|RETR b.txt"
		if got := strings.TrimSuffix(strings.Join(server.Transcript(), "|"), "|QUIT"); got != want {
			t.Errorf("the server heard\n%q, want\n%q", got, want)
		}
	}
}

// A connection is kept for one server, user, password and scheme.
func TestReuseIsForTheSameLogin(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.User("joe", "one"), ftptest.User("ann", "one"))
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	for i, login := range []string{"", "joe:one@", "ann:one@", "joe:one@", "", "ann:one@"} {
		u := strings.Replace(server.URL, "://", "://"+login, 1) + "/pub/deep/a/b.txt"
		if _, err := get(t, f, u); err != nil {
			t.Fatal(err)
		}
		if want := min(i+1, 3); server.Logins() != want {
			t.Errorf("%d logins after %d fetches, want %d", server.Logins(), i+1, want)
		}
	}
	// A login with the name alone does not use a connection with the password.
	for _, login := range []string{"joe:two@", "joe@"} {
		u := strings.Replace(server.URL, "://", "://"+login, 1) + "/pub/deep/a/b.txt"
		if _, err := get(t, f, u); !errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%s: %v, want a refused login", login, err)
		}
	}
}

// Outcomes after which a connection is kept or closed.
func TestKept(t *testing.T) {
	for _, c := range []struct {
		name   string
		use    func(t *testing.T, f *ftp.Fetcher, url string)
		opts   []ftptest.Option
		logins int
	}{
		{"read to the end", func(t *testing.T, f *ftp.Fetcher, url string) { get(t, f, url) }, nil, 1},
		{"read to the end, and cancelled then", func(t *testing.T, f *ftp.Fetcher, url string) {
			ctx, cancel := context.WithCancel(t.Context())
			res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, url)})
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			cancel()
			res.Close()
		}, nil, 1},
		{"described", func(t *testing.T, f *ftp.Fetcher, url string) {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, url), Describe: true})
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}, nil, 1},
		{"left early", func(t *testing.T, f *ftp.Fetcher, url string) {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, url)})
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
		}, nil, 2},
		{"a part of it, proven by the end", func(t *testing.T, f *ftp.Fetcher, url string) {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, url), Range: fetchers.Range{Offset: 5, Length: 5}})
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			res.Close()
		}, nil, 1},
		{"the first part of it", func(t *testing.T, f *ftp.Fetcher, url string) {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, url), Range: fetchers.Range{Length: 5}})
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, res.Body)
			res.Close()
		}, nil, 2},
		{"cut", func(t *testing.T, f *ftp.Fetcher, url string) { get(t, f, url) },
			[]ftptest.Option{ftptest.Faults(ftptest.Fault{After: 10, Do: ftptest.Say426, Once: true})}, 2},
		{"closed by CloseIdle", func(t *testing.T, f *ftp.Fetcher, url string) {
			get(t, f, url)
			f.CloseIdle()
		}, nil, 2},
		{"closed without reuse", func(t *testing.T, f *ftp.Fetcher, url string) {
			f.NoReuse = true
			get(t, f, url)
		}, nil, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := ftptest.NewServer(files, c.opts...)
			defer server.Close()
			f := new(ftp.Fetcher)
			defer f.CloseIdle()
			c.use(t, f, server.URL+"/pub/poem.txt")
			if got, err := get(t, f, server.URL+"/pub/poem.txt"); got != string(content) || err != nil {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if server.Logins() != c.logins {
				t.Errorf("%d logins, want %d", server.Logins(), c.logins)
			}
		})
	}
}

// A connection that was idle for a while is tested by NOOP. A closed one is replaced without an
// error.
func TestIdleConnectionIsProbed(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := new(ftp.Fetcher)
	f.Trust(-1) // so that every use needs a NOOP
	defer f.CloseIdle()
	heard := said(server)
	get(t, f, server.URL+"/pub/deep/a/b.txt")
	heard()
	if got, err := get(t, f, server.URL+"/pub/deep/a/b.txt"); got != "b\n" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if told := heard(); told != "NOOP|SIZE b.txt|EPSV|RETR b.txt" {
		t.Errorf("the server heard %q", told)
	}
}

// Concurrent fetches use a connection each, and only a few are kept.
func TestManyAtOnce(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := new(ftp.Fetcher)
	defer f.CloseIdle()
	for round := range 3 {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				if got, err := get(t, f, server.URL+"/pub/poem.txt"); got != string(content) || err != nil {
					t.Errorf("%d bytes, %v", len(got), err)
				}
			})
		}
		wg.Wait()
		if server.Logins() > 4 {
			t.Errorf("%d logins after round %d, want 4 at most", server.Logins(), round)
		}
	}
}

// Closing a Body after its end does not affect the connection, which another fetch may use by then.
func TestLateClose(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := new(ftp.Fetcher)
	defer f.CloseIdle()
	first, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, first.Body)
	second, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	if err != nil {
		t.Fatal(err)
	}
	first.Close()
	got, err := io.ReadAll(second.Body)
	if string(got) != string(content) || err != nil || server.Logins() != 1 {
		t.Errorf("%d bytes, %v, %d logins", len(got), err, server.Logins())
	}
	second.Close()
}

// The trace of a fetch reports this fetch only.
func TestTraceOfReuse(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := trusting()
	var told [2][]string
	for i := range told {
		ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: func(_ context.Context, line string) { told[i] = append(told[i], line) }})
		res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/pub/deep/a/b.txt")})
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Close()
	}
	f.CloseIdle()
	if len(told[0]) != 10 || !slices.Equal(told[1], []string{"SIZE b.txt", "EPSV", "RETR b.txt"}) {
		t.Errorf("told %q", told)
	}
}

// The Reply belongs to a command of the same fetch. It is empty if the fetch sends no command.
func TestReplyOfReuse(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	if _, err := get(t, f, server.URL+"/pub/"); err != nil {
		t.Fatal(err)
	}
	heard := said(server)
	heard()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/pub/"), Describe: true})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if told := heard(); told != "" || res.Reply != (fetchers.Reply{}) {
		t.Errorf("the server heard %q, and its reply is %v", told, res.Reply)
	}
}
