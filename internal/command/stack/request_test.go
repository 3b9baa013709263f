package stack

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// The flags say how a URL is asked for.
func TestRequest(t *testing.T) {
	for _, c := range []struct {
		args string // the last is the URL
		want string
	}{
		{"http://h.example/", "http://h.example/"},
		{"<URL:http://h.example/>", "http://h.example/"},
		{"-r 5-9 http://h.example/", "http://h.example/ range {5 5}"},
		{"--compressed http://h.example/", "http://h.example/ compress"},
		{"--no-fail http://h.example/", "http://h.example/ nofail"},
		{"--fail=false http://h.example/", "http://h.example/ nofail"},
		{"-u joe http://h.example/", "http://joe@h.example/"},
		{"-u joe:s3cret http://h.example/", "http://h.example/ login joe s3cret --user"},
		{"-u :s3cret http://h.example/", "http://h.example/ login  s3cret --user"},
		{"-b a=b -H X-A:1 -A me http://h.example/", "http://h.example/ header map[Cookie:[a=b] User-Agent:[me] X-A:[1]]"},
		{"-b a=b;c=d; -b file -b e=f http://h.example/", "http://h.example/ header map[Cookie:[a=b;c=d; e=f]]"},
		{"-b file http://h.example/", "http://h.example/"},
		{"-b a=b -H Cookie:c=d http://h.example/", "http://h.example/ header map[Cookie:[c=d a=b]]"},
		{"-b a=b -H Cookie: http://h.example/", "http://h.example/ header map[Cookie:[a=b]]"},
		{"-z 2001-02-03 http://h.example/", "http://h.example/ since 2001-02-03"},
		{"-z -2001-02-03 http://h.example/", "http://h.example/ header map[If-Unmodified-Since:[Sat, 03 Feb 2001 00:00:00 GMT]]"},
		{"-z -2001-02-03 ftp://h.example/a", "ftp://h.example/a"},
		{"--url-query a=b http://h.example/?c#d", "http://h.example/?c&a=b#d"},
		{"http://h.example/a/../b/./c?../d", "http://h.example/b/c?../d"},
		{"--path-as-is http://h.example/a/../b", "http://h.example/a/../b"},
		{"ftp://h.example/a/../b", "ftp://h.example/a/../b"},
		{"--ftp-type a ftp://h.example/d/f#x", "ftp://h.example/d/f;type=a#x"},
		{"--ftp-type a ftp://h.example/d/f;type=i", "ftp://h.example/d/f;type=i"},
		{"--ftp-type a ftp://h.example/d/", "ftp://h.example/d/"},
		{"--form a=b gopher://h.example/0x#f", "gopher://h.example/0x%09%09%3F#f"},
		{"--view text/plain gopher://h.example/0x", "gopher://h.example/0x"},
	} {
		args := strings.Fields(c.args)
		st := build(t, args[:len(args)-1]...)
		if got := describe(request(t, st, args[len(args)-1])); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
}

// describe writes a request in one line.
func describe(r *fetchers.Request) string {
	text := r.URL.String()
	if r.Range != (fetchers.Range{}) {
		text += fmt.Sprintf(" range %v", r.Range)
	}
	if r.Login != nil {
		text += fmt.Sprintf(" login %s %s %s", r.Login.User, r.Login.Password, r.Login.Source)
	}
	if len(r.Header) > 0 {
		text += fmt.Sprintf(" header %v", map[string][]string(r.Header))
	}
	if r.Compress {
		text += " compress"
	}
	if r.NoFail {
		text += " nofail"
	}
	if !r.Have.ModTime.IsZero() {
		text += " since " + r.Have.ModTime.Format("2006-01-02")
	}
	if r.Have.ETag != "" {
		text += " tag " + r.Have.ETag
	}
	return text
}

// Each request has header fields of its own.
func TestRequestsShareNothing(t *testing.T) {
	st := build(t, "-H", "X-A: 1")
	one, two := request(t, st, "http://h.example/"), request(t, st, "http://h.example/")
	one.Header["X-A"][0] = "2"
	one.Header.Set("X-B", "3")
	if want := map[string][]string{"X-A": {"1"}}; !reflect.DeepEqual(map[string][]string(two.Header), want) {
		t.Errorf("the second request has %v, want %v", two.Header, want)
	}
}

// Flags that were not parsed, since the command line makes no sense, make no request panic.
func TestRequestOfUnparsedFlags(t *testing.T) {
	if _, err := parse(t, "get", "-H", "nocolon", "-b", "a=b"); err == nil {
		t.Error("-H nocolon is accepted")
	}
	o := option.Defaults()
	o.Ask.Headers, o.Ask.Cookies = []string{"nocolon"}, []string{"a=b"}
	st, err := Build(t.Context(), &o, silent())
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(request(t, st, "http://h.example/")); got != "http://h.example/" {
		t.Errorf("the request is %s", got)
	}
}

// A URL that the flags do not fit is an error of the command line, or of the line of a list.
func TestRefusedRequests(t *testing.T) {
	for _, c := range []struct {
		args  string
		where string
		text  string
		want  string
		class record.Class
	}{
		{"", "", "h.example", `no scheme in "h.example": did you mean https://h.example ?`, record.ClassMalformedURL},
		{"", "", "inof", `no scheme in "inof": did you mean fetch info, or https://inof ?`, record.ClassMalformedURL},
		{"", "", "h.example:80", `no scheme in "h.example:80": did you mean https://h.example:80 ?`, record.ClassUnknownScheme},
		{"--ftp-type a", "", "http://h.example/", "http://h.example/: --ftp-type means nothing for http", record.ClassUsage},
		{"--ftp-type a", "l:3: ", "http://h.example/", "l:3: http://h.example/: --ftp-type means nothing for http", record.ClassRead},
		{"--proto https", "l:3: ", "http://h.example/", "l:3: http://h.example/: http is not allowed: --proto is https", record.ClassUnknownScheme},
		{"--view text/plain", "", "gopher://h.example/0x%09%09+text/html", "gopher://h.example/0x%09%09+text/html: the URL itself names a view or has answers: no --view or --form with it", record.ClassUsage},
		{"--view text/plain", "", "gopher://h.example/0x%09%09?", "gopher://h.example/0x%09%09?: the URL itself names a view or has answers: no --view or --form with it", record.ClassUsage},
		{"--like wais://w.example/db/t/1/x", "", "wais://v.example/db?x", "wais://v.example/db?x: a server knows its own documents only, and that of --like is at w.example:210", record.ClassUsage},
		{"--like wais://w.example/db/t/1/x", "", "wais://w.example/db/t/1/y", "wais://w.example/db/t/1/y: --like is for searches, and this is a document", record.ClassUsage},
		{"", "", "news:a.group", "news:a.group: not retrievable: it names no server: use --news-server HOST, or set NNTPSERVER", record.ClassNotRetrievable},
		{"", "", "cid:a@b", "cid:a@b: not retrievable: it names a part of a message: use --in FILE or --in URL", record.ClassNotRetrievable},
		{"--etag-compare /", "", "http://h.example/", "read /: is a directory", record.ClassRead},
	} {
		st := build(t, strings.Fields(c.args)...)
		st.options.Verbs = []string{"ls", "info"}
		_, err := st.Request(job.Job{Text: c.text, Where: c.where})
		if err == nil {
			t.Errorf("%s %s: there is no error", c.args, c.text)
			continue
		}
		if class, _ := record.Classify(err); err.Error() != c.want || class != c.class {
			t.Errorf("%s %s:\n%s, %v, want\n%s, %s", c.args, c.text, class, err, c.want, c.class)
		}
	}
}

// A secret of a flag is not for the servers that a Metalink names, and its URLs are those
// of a stranger.
func TestRequestsOfStrangers(t *testing.T) {
	j := job.Job{Text: "http://h.example/", Stranger: true}
	for name, args := range map[string][]string{"user": {"-u", "joe:s3cret"}, "header": {"-H", "X: y"}, "cookie": {"-b", "a=b"}} {
		st := build(t, args...)
		_, err := st.Request(j)
		wantUsage(t, name, err, "--"+name+" is not for the servers that a Metalink names")
	}
	req, err := build(t).Request(j)
	if err != nil || req.Named != fetchers.ByStranger {
		t.Errorf("the request is named by %v, %v", req.Named, err)
	}
}

// The database that a file describes is asked in its place, by a stranger: the author of
// the file.
func TestSourceDescriptions(t *testing.T) {
	const source = `(:source :version 3 :ip-name "w.example" :tcp-port 2100 :database-name "db" :cost 0.00 :cost-unit :free :maintainer "x" :description "y")`
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"a.src": source, "b.src": "int main;", "c.src": "(:source :version 3)", "d.txt": source} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	inFile := "file://" + filepath.ToSlash(dir) + "/"
	for _, c := range []struct {
		args, text, where string
		want              string // a URL, or the beginning of an error
		named             fetchers.Namer
	}{
		{"", "a.src", "", "wais://w.example:2100/db", fetchers.ByStranger},
		{"", inFile + "a.src", "", "wais://w.example:2100/db", fetchers.ByStranger},
		{"", inFile + "a.src", "l:1: ", "wais://w.example:2100/db", fetchers.ByStranger},
		{"", "a.src", "l:1: ", `l:1: no scheme in "a.src": did you mean file:///`, 0},
		{"", inFile + "b.src", "", inFile + "b.src", fetchers.ByUser},
		{"", inFile + "gone.src", "", inFile + "gone.src", fetchers.ByUser},
		{"", inFile + "d.txt", "", inFile + "d.txt", fetchers.ByUser},
		{"", "b.src", "", `no scheme in "b.src": did you mean file:///`, 0},
		{"", "c.src", "l", `lno scheme in "c.src": `, 0},
		{"", "c.src", "", "c.src: ", 0},
		{"--public-only", inFile + "a.src", "", inFile + "a.src", fetchers.ByUser},
		{"--public-only --proto file,wais", inFile + "a.src", "", "wais://w.example:2100/db", fetchers.ByStranger},
	} {
		req, err := build(t, strings.Fields(c.args)...).Request(job.Job{Text: c.text, Where: c.where})
		switch {
		case err != nil && !strings.HasPrefix(err.Error(), c.want):
			t.Errorf("%s %s: %v, want %s", c.args, c.text, err, c.want)
		case err == nil && (req.URL.String() != c.want || req.Named != c.named):
			t.Errorf("%s %s: %s, named by %v, want %s by %v", c.args, c.text, req.URL, req.Named, c.want, c.named)
		}
	}
	_, err = build(t).Request(job.Job{Text: "c.src"})
	if _, input := errors.AsType[record.InputError](err); !input {
		t.Errorf("a description without a server is %v", err)
	}
}
