package report

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
)

// given returns the Options of a command line.
func given(t *testing.T, args ...string) *option.Options {
	t.Helper()
	o := option.Defaults()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	option.Bind(flags, "get", &o)
	if err := flags.Parse(args); err != nil {
		t.Fatal(err)
	}
	o.Config.Off = true
	if err := o.Complete(context.Background(), flags, "get", flags.Args()); err != nil {
		t.Fatal(err)
	}
	return &o
}

// The script has the flags in the order of their names and without a secret, the URL, the bytes on
// each connection, the record and the failure.
func TestScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	r, _ := open(t, given(t, "-u", "joe:s3cret", "--trace", file, "--retry-delay=0.5", "--retry=2", "-v", "http://h.example/a"))
	of := parseURL(t, "http://joe:s3cret@h.example/a")
	fetch := r.Begin(job.Job{Text: of.String()})
	fetch.Asked(of)
	trace := fetchers.ContextTrace(fetch.Listen(t.Context(), of))
	trace.Follow(of, parseURL(t, "http://other.example/b"))
	tap := trace.Tap("tcp", "h.example:80")
	tap.Sent([]byte("GET /a HTTP/1.1\r\nHost: h.example\r\n\r\n"))
	tap.Got([]byte("HTTP/1.1 302 Found\r\nLocation: http://other.example/b\r\n\r\n"))
	tap.Ended(io.ErrUnexpectedEOF)
	tap = trace.Tap("tcp", "h.example:80")
	tap.Sent([]byte("A\r\n"))
	tap.Ended(syscall.ECONNRESET)
	tap = trace.Tap("udp", "h.example:191")
	tap.Sent([]byte("B\nC\n"))
	tap = trace.Tap("tcp", "h.example:21")
	tap.Got([]byte("229 Entering (|||4711|)\r\n"))
	data := tap.Data("h.example:4711")
	data.Got([]byte("octets\n"))
	data.Ended(io.EOF)
	tap.Ended(fetchers.ErrStalled)
	failure := errors.New("fetch x: no\x1b")
	fetch.End(nil, failure)
	if err := r.EndScript(failure); err != nil {
		t.Fatal(err)
	}
	const want = `fetch v1.2.3, with --retry=2 --retry-delay=0.5 --trace=*** --user=*** --verbose=true
-- url --
http://joe:***@SERVER/a
-- wire --
C: GET /a HTTP/1.1
C: Host: SERVER
C: 
S: HTTP/1.1 302 Found
S: Location: http://SERVER/b
S: 
! close
! connection
C: A
! reset
! connection
C: B
C: C
! connection
S: 229 Entering (|||DATAPORT|)
D- octets\n
! stall
-- record --
{"url":"http://joe:***@h.example/a"}
-- error --
x: no\x1b
`
	text, err := os.ReadFile(file)
	got := regexp.MustCompile(`("url":"http://joe:\*\*\*@h.example/a"),.*}`).ReplaceAllString(string(text), "$1}")
	if err != nil || got != want {
		t.Errorf("%s\nwant\n%s\n%v", got, want, err)
	}
	if strings.Contains(string(text), "s3cret") {
		t.Error("the script has a secret in it")
	}
}

// A run that ends before a request has a script without connections.
func TestEmptyScript(t *testing.T) {
	file := filepath.Join(t.TempDir(), "script")
	r, _ := open(t, &option.Options{Output: option.Output{Trace: file}})
	if err := r.EndScript(nil); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "fetch v1.2.3, with \n-- wire --\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// An event or a script that cannot be written is a failure at the end of the run, and the
// script has the failure of the run.
func TestFilesUnwritten(t *testing.T) {
	dir := t.TempDir()
	r, _ := open(t, &option.Options{Output: option.Output{Events: filepath.Join(dir, "events"), Trace: filepath.Join(dir, "script")}})
	r.events.file.Close()
	r.Begin(job.Job{Text: "file:///a"}).End(nil, nil)
	err := r.EndFiles()
	if class, _ := record.Classify(err); class != record.ClassWrite {
		t.Errorf("%v of class %q", err, class)
	}
	if err := r.EndScript(err); err != nil {
		t.Error(err)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "script"))
	if !strings.Contains(string(text), "-- error --\nwrite ") {
		t.Errorf("the script is %q", text)
	}

	r, _ = open(t, &option.Options{Output: option.Output{Trace: filepath.Join(dir, "another")}})
	r.script.file.Close()
	if class, _ := record.Classify(r.EndScript(nil)); class != record.ClassWrite {
		t.Errorf("class %q", class)
	}
}
