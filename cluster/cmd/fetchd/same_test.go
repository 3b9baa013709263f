package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"

	"github.com/seed1ea3422f/fetch/cluster/engine"
)

func TestMain(m *testing.M) {
	if os.Getenv(processVariable) != "" {
		main()
	}
	goleak.VerifyTestMain(m)
}

// site answers with what HTTP has to offer.
func site(t *testing.T) string {
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header()["Date"] = nil
		switch r.URL.Path {
		case "/page.html":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("ETag", `"abc"`)
			w.Header().Set("Last-Modified", "Thu, 01 Dec 1994 10:00:00 GMT")
			w.Header().Set("Set-Cookie", "secret=1")
			io.WriteString(w, "<p>hello")
		case "/chunked":
			io.WriteString(w, "one")
			w.(nethttp.Flusher).Flush()
			io.WriteString(w, "two")
		case "/moved":
			nethttp.Redirect(w, r, "/page.html", nethttp.StatusFound)
		case "/loop":
			nethttp.Redirect(w, r, "/loop", nethttp.StatusFound)
		case "/gone":
			w.WriteHeader(nethttp.StatusGone)
		case "/denied":
			w.WriteHeader(nethttp.StatusForbidden)
		case "/login":
			w.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			w.WriteHeader(nethttp.StatusUnauthorized)
		case "/broken":
			w.WriteHeader(nethttp.StatusInternalServerError)
			io.WriteString(w, "out of order")
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "short")
		case "/packed":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			io.WriteString(z, "packed")
			z.Close()
		case "/empty":
		default:
			w.WriteHeader(nethttp.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A list that fetch -i understands has the same records by several machines, but for times and for the
// names of the files.
func TestRecordsAreThoseOfFetch(t *testing.T) {
	fetch := filepath.Join(t.TempDir(), "fetch")
	build := exec.Command("go", "build", "-o", fetch, "./cmd/fetch")
	build.Dir = "../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := fstest.MapFS{"pub/a.txt": {Data: []byte("a file\r\n"), ModTime: time.Date(1994, 12, 1, 10, 0, 0, 0, time.UTC)}}
	ftp := ftptest.New(t, files)
	gopher := gophertest.New(t, files)
	web := site(t)
	var list []string
	for _, path := range []string{"/page.html", "/chunked", "/moved", "/loop", "/gone", "/denied", "/login", "/broken", "/cut", "/packed", "/empty", "/missing"} {
		list = append(list, web+path)
	}
	list = append(list,
		"ftp://"+ftp.Addr+"/pub/a.txt", "ftp://"+ftp.Addr+"/pub/missing.txt",
		"gopher://"+gopher.Addr+"/0/pub/a.txt", "gopher://"+gopher.Addr+"/0/missing", "gopher://"+gopher.Addr+"/1/pub", "ftp://"+ftp.Addr+"/pub/",
		"data:text/plain,hello", "telnet://127.0.0.1:9/", "mailto:someone@h.example", "no-scheme://h.example/", "http://127.0.0.1:99999/", "http://[", "urn:isbn:1",
		"http://127.0.0.1:1/", "http://no-such-host.invalid/",
		web+"/page.html?sum\tsha256="+strings.Repeat("0", 64),
	)
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte("# a remark\n"+strings.Join(list, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	want := byFetch(t, fetch, name)
	got := byFetchd(t, name)
	if len(got) != len(list) || len(want) != len(list) {
		t.Errorf("%d records of fetch and %d of fetchd for %d URLs", len(want), len(got), len(list))
	}
	for u, w := range want {
		if g := got[u]; !reflect.DeepEqual(g, w) {
			for field := range w {
				if !reflect.DeepEqual(g[field], w[field]) {
					t.Errorf("%s: %s is %s, and of fetch %s", u, field, text(g[field]), text(w[field]))
				}
			}
			for field := range g {
				if _, ok := w[field]; !ok {
					t.Errorf("%s: %s is %s, and fetch has none", u, field, text(g[field]))
				}
			}
		}
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// byFetch returns the records of fetch -i.
func byFetch(t *testing.T, fetch, list string) map[string]map[string]any {
	cmd := exec.Command(fetch, "-i", list, "--json", "-s", "--retry", "0", "--output-dir", t.TempDir(), "-o", "{n}", "--raw")
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	out, err := cmd.Output()
	if _, failed := err.(*exec.ExitError); err != nil && !failed {
		t.Fatal(err)
	}
	return comparable(t, out)
}

// byFetchd returns the records of fetchd.
func byFetchd(t *testing.T, list string) map[string]map[string]any {
	s, err := engine.Start(engine.Options{Dir: t.TempDir(), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	fetchd := func(ctx context.Context, args ...string) (int, string) {
		var out, errs bytes.Buffer
		status := run(ctx, append(args, "--nats", s.URL()), streams{strings.NewReader(""), &out, &errs})
		t.Log(args[0], status, errs.String())
		return status, out.String()
	}
	fetchd(t.Context(), "add", "-i", list)
	ctx, stop := context.WithCancel(t.Context())
	var work sync.WaitGroup
	work.Go(func() {
		fetchd(ctx, "work", "--sink", t.TempDir(), "--state", t.TempDir(), "--flush", "0.1", "--retry", "0")
	})
	fetchd(t.Context(), "status", "-w", "--json")
	stop()
	work.Wait()
	_, out := fetchd(t.Context(), "records", "--final")
	return comparable(t, []byte(out))
}

// lineOfList is the place of a URL in a list, before the text of a failure.
var lineOfList = regexp.MustCompile(`^/\S+/list:\d+: `)

// comparable returns records by their URL, without times and names.
func comparable(t *testing.T, lines []byte) map[string]map[string]any {
	t.Helper()
	all := make(map[string]map[string]any)
	for line := range bytes.Lines(lines) {
		var r map[string]any
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		u := fmt.Sprint(r["url"])
		for _, field := range []string{"started", "seconds"} {
			delete(r, field)
		}
		r["output"] = r["output"] != nil
		if failure, ok := r["error"].(map[string]any); ok { // a page does not know the line of the list
			failure["text"] = lineOfList.ReplaceAllString(fmt.Sprint(failure["text"]), "")
		}
		all[u] = r
	}
	return all
}
