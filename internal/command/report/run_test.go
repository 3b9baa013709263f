package report

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// The file of --events has a line for each event, in order, and one about progress every
// second.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := &option.Options{Output: option.Output{Events: filepath.Join(t.TempDir(), "events")}}
		r, s := open(t, o)
		if err := r.Skip(job.Job{Text: "http://joe:s3cret@h.example/done"}); err != nil {
			t.Fatal(err)
		}
		fetch := r.Begin(job.Job{Text: "http://h.example/"})
		of := parseURL(t, "http://h.example/")
		fetch.Asked(of)
		trace := fetchers.ContextTrace(fetch.Listen(t.Context(), of))
		trace.Follow(of, parseURL(t, "http://joe:s3cret@h.example/a"))
		trace.ConnectDone("tcp", "h.example:80", peer{}, nil)
		trace.Retry(1, time.Second/2, errors.New("no"))
		trace.ConnectDone("tcp", "h.example:80", peer{}, nil)
		time.Sleep(1500 * time.Millisecond)
		size := int64(-1)
		fetch.Watch(func() (int64, int64) { size += 6; return 2, size - 5 })
		time.Sleep(2 * time.Second)
		if err := fetch.End(nil, nil); err != nil {
			t.Error(err)
		}
		time.Sleep(2 * time.Second)
		if err := errors.Join(r.EndFiles(), r.EndFiles(), r.EndScript(nil)); err != nil {
			t.Error(err)
		}
		const want = `{"event":"skip","id":1,"url":"http://joe:***@h.example/done"}
{"event":"start","id":2,"url":"http://h.example/"}
{"event":"redirect","id":2,"from":"http://h.example/","to":"http://joe:***@h.example/a"}
{"event":"retry","id":2,"try":1,"wait":0.5,"error":{"class":"read","exit":56,"code":null,"text":"no","retryable":false}}
{"event":"progress","id":2,"have":2}
{"event":"progress","id":2,"have":2,"size":6}
{"event":"record","id":2,"record":{"url":"http://h.example/","effective_url":"http://h.example/","scheme":"http","kind":null,"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,"complete":"no","reply":null,"redirects":["http://joe:***@h.example/a"],"attempts":2,"resumed_from":0,"sha256":null,"output":null,"remote":"1.2.3.4:80","started":"2000-01-01T00:00:00Z","seconds":3.5,"error":null}}
`
		text, err := os.ReadFile(o.Output.Events)
		if got := regexp.MustCompile(`"time":"[^"]+Z",`).ReplaceAllString(string(text), ""); err != nil || got != want {
			t.Errorf("%s\nwant\n%s\n%v", got, want, err)
		}
		if s.out.Len() > 0 || !fetch.Live() {
			t.Errorf("standard output has %q; live: %v", &s.out, fetch.Live())
		}
	})
}

// With --json standard output has a record for each URL, also for one that is skipped and
// for a text that is no URL.
func TestRecords(t *testing.T) {
	r, s := open(t, &option.Options{Output: option.Output{JSON: true}})
	of := parseURL(t, "http://joe:s3cret@h.example/\u202e")
	fetch := r.Begin(job.Job{Text: "unused"})
	fetch.Asked(of)
	res := document(of, "hello")
	res.Confirmed = func() bool { return true }
	io.Copy(io.Discard, res.Body)
	if err := fetch.End(res, nil); err != nil || fetch.Live() {
		t.Errorf("%v; live: %v", err, fetch.Live())
	}
	failure := errors.New("no")
	if err := r.Begin(job.Job{Text: "http://joe:s3cret@h.example:x/"}).End(nil, failure); err != failure {
		t.Errorf("%v, want %v", err, failure)
	}
	if err := r.Skip(job.Job{Text: of.String(), URL: of}); err != nil {
		t.Error(err)
	}
	service := document(of, "")
	service.Session = &fetchers.SessionHint{Service: "other", Addr: "h.example:1", Login: fetchers.Credential{User: "joe", Password: "s3cret"}}
	if err := r.Begin(job.Job{Text: "http://h.example/"}).End(service, nil); err != nil {
		t.Error(err)
	}
	const want = `{"url":"http://joe:***@h.example/%E2%80%AE","effective_url":"http://joe:***@h.example/%E2%80%AE","scheme":"http","kind":"document","media_type":null,"size":5,"received":5,"range":null,"modified":null,"etag":null,"complete":"confirmed","reply":null,"redirects":[],"attempts":1,"resumed_from":0,"sha256":null,"output":null,"remote":null,"error":null}
{"url":"http://joe:***@h.example:x/","effective_url":"http://joe:***@h.example:x/","scheme":"","kind":null,"media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,"complete":"no","reply":null,"redirects":[],"attempts":1,"resumed_from":0,"sha256":null,"output":null,"remote":null,"error":{"class":"read","exit":56,"code":null,"text":"no","retryable":false}}
{"url":"http://joe:***@h.example/%E2%80%AE","effective_url":"http://joe:***@h.example/%E2%80%AE","scheme":"http","kind":"unchanged","media_type":null,"size":null,"received":0,"range":null,"modified":null,"etag":null,"complete":"unconfirmed","reply":null,"redirects":[],"attempts":0,"resumed_from":0,"sha256":null,"output":null,"remote":null,"error":null}
{"url":"http://h.example/","effective_url":"http://joe:***@h.example/%E2%80%AE","scheme":"http","kind":"session","media_type":null,"size":0,"received":0,"range":null,"modified":null,"etag":null,"complete":"unconfirmed","reply":null,"redirects":[],"attempts":1,"resumed_from":0,"sha256":null,"output":null,"session":{"service":"other","address":"h.example:1","user":"joe","password_set":true,"password":null,"command":null},"remote":null,"error":null}
`
	got := regexp.MustCompile(`"started":"[^"]+Z","seconds":[^,]+,`).ReplaceAllString(s.out.String(), "")
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for line := range strings.Lines(s.out.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("%s is no JSON", line)
		}
	}
}

// The failure of a fetch is the error of its report, even if the record cannot be written. A record
// that cannot be written is a failure of its own.
func TestRecordUnwritten(t *testing.T) {
	r, s := open(t, &option.Options{Output: option.Output{JSON: true}})
	s.Out = full{}
	failure := errors.New("no")
	if err := r.Begin(job.Job{Text: "file:///a"}).End(nil, failure); err != failure {
		t.Errorf("%v, want %v", err, failure)
	}
	err := r.Begin(job.Job{Text: "file:///a"}).End(nil, nil)
	if _, output := errors.AsType[record.OutputError](err); !output || !errors.Is(err, errFull) {
		t.Errorf("%v, want %v as a record.OutputError", err, errFull)
	}
}

// Without --json, --events and --trace a report writes nothing.
func TestUnwanted(t *testing.T) {
	r, s := open(t, new(option.Options))
	fetch := r.Begin(job.Job{Text: "file:///a"})
	fetch.Watch(nil)
	failure := errors.New("no")
	if err := fetch.End(nil, failure); err != failure || r.wanted() || fetch.Hashed() || fetch.Live() {
		t.Errorf("%v; wanted %v, hashed %v, live %v", err, r.wanted(), fetch.Hashed(), fetch.Live())
	}
	if err := errors.Join(r.Skip(job.Job{Text: "file:///a"}), r.EndScript(failure)); err != nil || s.out.Len() > 0 || s.err.Len() > 0 {
		t.Errorf("%v; %q, %q", err, &s.out, &s.err)
	}
}

// A file that cannot be opened ends the run before it begins, and leaves none open.
func TestOpenFails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []option.Output{
		{Events: filepath.Join(dir, "no", "where")},
		{Trace: filepath.Join(dir, "no", "where")},
		{Events: filepath.Join(dir, "events"), Trace: filepath.Join(dir, "no", "where")},
	} {
		o := &option.Options{Output: c}
		_, err := Open(t.Context(), o, newScreen(o).Streams, "")
		if class, _ := record.Classify(err); class != record.ClassWrite {
			t.Errorf("%+v: %v of class %q", c, err, class)
		}
	}
}

// The record of a file has its hash if a program reads the record.
func TestHashed(t *testing.T) {
	for _, c := range []struct {
		o              option.Output
		wanted, hashed bool
	}{
		{option.Output{}, false, false},
		{option.Output{JSON: true}, true, true},
		{option.Output{Events: "x"}, true, true},
		{option.Output{Trace: "x"}, true, false},
	} {
		r := &Run{options: &option.Options{Output: c.o}}
		if hashed := (&Fetch{run: r}).Hashed(); r.wanted() != c.wanted || hashed != c.hashed {
			t.Errorf("%+v: wanted %v, hashed %v", c.o, r.wanted(), hashed)
		}
	}
}

// The line of a file names the special circumstances of its download.
func TestOutcomeSpecial(t *testing.T) {
	for want, o := range map[string]Outcome{
		"resumed at 3.1 MiB":                     {Name: "a"},
		"a existed, resumed at 3.1 MiB":          {Name: "a.1", Taken: "a"},
		`renamed from "a?", resumed at 3.1 MiB`:  {Name: "a_", Called: "a?"},
		"resumed at 3.1 MiB, verified by sha256": {Name: "a", Sum: "sha256"},
	} {
		if got := o.special(3_250_000); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
	if got := (Outcome{Name: "a"}).special(0); got != "" {
		t.Errorf("%q", got)
	}
}
