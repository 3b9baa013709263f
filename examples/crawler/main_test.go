package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A web has a page, a directory and a menu that lead to each other.
type web struct {
	http   *httptest.Server
	ftp    *ftptest.Server
	gopher *gophertest.Server
}

func newWeb(t *testing.T) *web {
	w := new(web)
	mux := http.NewServeMux()
	w.http = httptest.NewServer(mux)
	t.Cleanup(w.http.Close)
	w.gopher = gophertest.NewServer(
		fstest.MapFS{"about.txt": {Data: []byte("about\n")}},
		gophertest.Menu("links", "0About\t/about.txt\nhThe page\tURL:"+w.http.URL+"/\n8A login\tguest\tlocalhost\t23\nisome words"),
	)
	t.Cleanup(w.gopher.Close)
	w.ftp = ftptest.NewServer(fstest.MapFS{
		"pub/data.bin":   {Data: make([]byte, 1000)},
		"pub/page.html":  {Data: fmt.Appendf(nil, `<p><a href="data.bin">data</a> <A HREF='%s/1links'>menu</A>`, w.gopher.URL)},
		"pub/deep/a.txt": {Data: []byte("a\n")},
	})
	t.Cleanup(w.ftp.Close)
	mux.HandleFunc("/{$}", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(rw, `<base href="/sub/"><a href=one#top>one</a> <a href="../moved">moved</a> <a href="%s/pub/">files</a>
			<a href="mailto:joe@example.com">write</a> <a href="file:///etc/passwd">no</a> <a href="http://[">bad</a>`, w.ftp.URL)
	})
	mux.HandleFunc("/sub/one", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, `<a href="/missing">missing</a><a href="/large">large</a>`)
	})
	mux.HandleFunc("/large", func(rw http.ResponseWriter, _ *http.Request) { rw.Write(make([]byte, 100_000)) })
	mux.Handle("/moved", http.RedirectHandler("/sub/one", http.StatusFound))
	return w
}

// crawl runs the program, and returns its sorted lines with servers by their names.
func (w *web) crawl(t *testing.T, args ...string) (lines []string, log string) {
	t.Helper()
	var stdout, stderr strings.Builder
	if err := run(t.Context(), append(args, w.http.URL), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer(w.http.URL, "HTTP", w.ftp.URL, "FTP", w.gopher.URL, "GOPHER")
	lines = strings.Split(strings.TrimSpace(names.Replace(stdout.String())), "\n")
	slices.Sort(lines)
	return lines, names.Replace(stderr.String())
}

func TestCrawl(t *testing.T) {
	w := newWeb(t)
	got, log := w.crawl(t, "-private", "-pause", "0", "-depth", "5", "-size", "50000")
	var visited []string
	for _, line := range got {
		cells := strings.Split(line, "\t")
		visited = append(visited, cells[0]+" "+cells[3])
	}
	want := []string{
		"document FTP/pub/data.bin", "document FTP/pub/deep/a.txt", "document FTP/pub/page.html",
		"document GOPHER/0/about.txt", "document HTTP/", "document HTTP/sub/one",
		"listing FTP/pub/", "listing FTP/pub/deep/", "listing GOPHER/1links", "redirect HTTP/moved",
	}
	slices.Sort(visited)
	if !slices.Equal(visited, want) {
		t.Errorf("visited\n%s\nwant\n%s", strings.Join(visited, "\n"), strings.Join(want, "\n"))
	}
	for _, want := range []string{
		"level=WARN msg=\"not fetched\" url=HTTP/missing error=\"fetch HTTP/missing: 404 Not Found\"",
		"msg=\"not fetched\" url=HTTP/large error=\"read HTTP/large: too large",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not have %s:\n%s", want, log)
		}
	}
}

func TestDepthAndPages(t *testing.T) {
	w := newWeb(t)
	if got, _ := w.crawl(t, "-private", "-pause", "0", "-depth", "0"); len(got) != 1 {
		t.Errorf("visited %q", got)
	}
	if got, _ := w.crawl(t, "-private", "-pause", "0", "-depth", "5", "-pages", "3"); len(got) != 3 {
		t.Errorf("visited %q", got)
	}
}

// Without -private the program connects to no server of this machine.
func TestPublicOnly(t *testing.T) {
	w := newWeb(t)
	got, log := w.crawl(t)
	if !slices.Equal(got, []string{""}) || !strings.Contains(log, "blocked by policy") {
		t.Errorf("visited %q:\n%s", got, log)
	}
}

// The log has the requests to a server, without the password.
func TestTrace(t *testing.T) {
	w := newWeb(t)
	var stdout, stderr strings.Builder
	u := strings.Replace(w.ftp.URL, "://", "://joe:s3cret@", 1) + "/pub/data.bin"
	if err := run(t.Context(), []string{"-private", "-pause", "0", "-v", u}, &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	if log := stderr.String(); !strings.Contains(log, `msg=sent url=ftp://joe:***@`) || strings.Contains(log, "s3cret") {
		t.Error(log)
	}
}

// The program obeys robots.txt, and with -state a second run continues the first.
func TestRobots(t *testing.T) {
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "User-agent: crawler\nDisallow: /b\n") })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<a href=a>a</a><a href=b>b</a><a href=c>c</a>`)
	})
	state := t.TempDir() + "/urls"
	var lines []string
	for range 3 {
		var stdout, stderr strings.Builder
		if err := run(t.Context(), []string{"-private", "-pause", "0", "-pages", "1", "-state", state, server.URL + "/"}, &stdout, &stderr); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, strings.Split(strings.TrimSpace(strings.ReplaceAll(stdout.String(), server.URL, "")), "\t")[3])
	}
	slices.Sort(lines)
	if want := []string{"/", "/a", "/c"}; !slices.Equal(lines, want) {
		t.Errorf("visited %q, want %q", lines, want)
	}
}
