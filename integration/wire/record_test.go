package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func recorded(t *testing.T, r *Recorder) string {
	t.Helper()
	var b strings.Builder
	if _, err := r.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if _, err := Parse([]byte("-- wire --\n" + b.String())); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return b.String()
}

func TestRecord(t *testing.T) {
	var r Recorder
	r.Server("h.example")
	r.Server("h.example:8080")
	if got := r.URL("z39.50s://me:***@h.example:8080/a"); got != "z39.50s://me:***@SERVER/a" {
		t.Errorf("URL: %s", got)
	}
	if got := r.URL("https://me:***@h.example:8080/a?https://h.example.org/"); got != "http://me:***@SERVER/a?https://h.example.org/" {
		t.Errorf("URL: %s", got)
	}

	web := r.Connect("\r\n")
	web.Sent([]byte("GET /h.example/SERVER HTTP/1.1\r\nHost: h.exa"))
	web.Sent([]byte("mple\r\nReferer: http://h.example\r\nAuthorization: Basic ***\r\n\r\n"))
	web.Got([]byte("HTTP/1.1 302 Found\r\nLocation: https://h.example:8080/b\r\nServer: h.example\r\n\r\n"))
	web.Got([]byte("http://h.example\n\xff\\ DATAPORT"))

	ftp := r.Connect("\r\n")
	ftp.Got([]byte("220 ready\r\n"))
	for _, passive := range []string{"227 Passive (10,0,0,1,8,73)", "229 Extended (|||2122|)"} {
		ftp.Sent([]byte("PASSIVE\r\n"))
		ftp.Got([]byte(passive + "\r\n"))
	}
	first, empty, never := ftp.Data(2121), ftp.Data(2122), ftp.Data(2123)
	ftp.Sent([]byte("RETR\r\n"))
	ftp.Got([]byte("150 here\r\n"))
	first.Got([]byte("one\r\n"))
	ftp.Got([]byte("226 there (|||2121|)\r\n"))
	first.Got([]byte("two"))
	first.End("reset")
	empty.End("close")
	_ = never
	ftp.Sent([]byte("QUIT\r\n"))

	gone := r.Connect("\r\n")
	gone.End("stall")
	gone.Got([]byte("too late"))

	r.Connect("\n").Sent([]byte("VERSION 5\nNEXT\n"))

	datagrams := r.Connect("")
	datagrams.Got([]byte("\x00\x03\x00\x01one\ntwo\n"))
	datagrams.Got([]byte("\x00\x03\x00\x02three\n"))

	want := `C: GET /h.example/\x53ERVER HTTP/1.1
C: Host: SERVER
C: Referer: http://SERVER
C: Authorization: Basic ***
C: 
S: HTTP/1.1 302 Found
S: Location: http://SERVER/b
S: Server: h.example
S: 
S- http://h.example\n
S- \xff\\ \x44ATAPORT
! close
! connection
S: 220 ready
C: PASSIVE
S: 227 Passive (DATAPASV)
C: PASSIVE
S: 229 Extended (|||DATAPORT|)
C: RETR
S: 150 here
D: one
D- two
! data reset
S: 226 there (|||2121|)
D-
C? QUIT
! close
! connection
! stall
! connection
C: VERSION 5
C: NEXT
! connection
S- \x00\x03\x00\x01one\ntwo\n
S- \x00\x03\x00\x02three\n
`
	if got := recorded(t, &r); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A long run keeps its beginning and its end. A recording has a maximum size.
func TestRecordIsBounded(t *testing.T) {
	var r Recorder
	c := r.Connect("\r\n")
	for range 1000 {
		c.Got(bytes.Repeat([]byte("x"), 999))
		c.Got([]byte("\n"))
	}
	c.Got([]byte(".\r\n"))
	text := recorded(t, &r)
	left := 1000*1000 + 3 - maxRun - keptEnd
	if want := fmt.Sprintf("# %d octets are left out. Zeros stand for them.\nS* %[1]d \\x00\n", left); !strings.Contains(text, want) || !strings.HasSuffix(text, "\nS: .\n") {
		t.Errorf("%.200s … %s", text, text[len(text)-200:])
	}
	for range 200 {
		c.Sent([]byte("MORE\r\n"))
		c.Got(bytes.Repeat([]byte("y"), maxRun))
	}
	if text = recorded(t, &r); len(text) > 2*maxRecord || !strings.HasSuffix(text, "# The rest is left out, as this is more than 4194304 octets.\n") {
		t.Errorf("%d octets, …%s", len(text), text[len(text)-200:])
	}
}

func TestAsterisksMatchAnyBytes(t *testing.T) {
	for _, c := range []struct {
		step, sent string
		ok, more   bool
	}{
		{"C: PASS ***", "PASS \r\n", true, false},
		{"C: PASS ***", "PASS s3cret\r\nNEXT", true, false},
		{"C: PASS ***", "PASS s3cret", false, true},
		{"C: PASS ***", "PASS s3cret\r", false, true},
		{"C: PASS ***", "PASS s3c\nret\r\n", false, false},
		{"C: PASS ***", "QUIT", false, false},
		{"C: a=***; b=***", "a=1; b=2\r\n", true, false},
		{"C: a=***; b=***", "a=1\r\n", false, false},
		{"C- ***", "", false, true},
		{"C- ***", "typed", true, false},
		{"C- ***", "\r\n", false, false},
		{`C- ***\x01end`, "\xb4\r\n\x01end", true, false},
		{`C- ***\x01end`, "\xb4\r\n\x01e", false, true},
		{`C: \x2a**`, "***\r\n", true, false},
		{`C: \x2a**`, "more\r\n", false, false},
	} {
		st, err := parseStep(c.step)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, more := st.pattern(st.text).match([]byte(c.sent)); ok != c.ok || more != c.more {
			t.Errorf("%s of %q: %v, %v", c.step, c.sent, ok, more)
		}
	}
}
