package sftp

import (
	"bytes"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// FuzzAttributes checks that the fields of a packet are within it, and that an incomplete packet is
// an error.
func FuzzAttributes(f *testing.F) {
	f.Add([]byte("\x00\x00\x00\x0f\x00\x00\x00\x00\x00\x00\x00\x06\x00\x00\x03\xe8\x00\x00\x03\xe8\x00\x00\x81\xa4:{\x83r:{\x83r"))
	f.Add([]byte("\x80\x00\x00\x00\xff\xff\xff\xff\x00\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x01\xff\xff\xff\xff\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, p []byte) {
		c := cursor{rest: p}
		a := c.attributes()
		if a.Size < -1 {
			t.Errorf("size %d", a.Size)
		}
		if len(p) < 4 && c.err(fxAttrs) == nil {
			t.Error("a packet without flags passes")
		}
		a.facts()
		a.line()
		c = cursor{rest: p}
		if refused := status(&c); len(refused.Text) > maxMessage {
			t.Errorf("a message of %d bytes", len(refused.Text))
		}
	})
}

// FuzzListing checks that the URL of an entry is in the directory, and that a name survives a
// listing.
func FuzzListing(f *testing.F) {
	for _, s := range []string{"type=file;size=5; a", "type=dir; ../x", "link=a%20b; %2e%2e", "a", " ", "type=dir; a%2Fb", "; %00", "x=y;; ;"} {
		f.Add(s)
	}
	dir, err := url.Parse("sftp://h.example/pub/")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for e, err := range parser(dir)(strings.NewReader(s)) {
			if err != nil {
				t.Fatal(err)
			}
			if e.URL != nil && (!dir.Holds(e.URL) || e.URL.Equal(dir)) {
				t.Errorf("%q leads to %v", s, e.URL)
			}
		}
		e := entry(dir, Attributes{Size: 3, Moded: true}.facts()+" "+escape(s))
		if e.Name != s || strings.ContainsAny(escape(s), "\r\n") {
			t.Errorf("%q became %q", s, e.Name)
		}
		if (e.URL != nil) != isName(s) {
			t.Errorf("%q leads to %v", s, e.URL)
		}
	})
}

// FuzzLink checks that a link ends for any bytes of a server, and allocates no more than a packet.
func FuzzLink(f *testing.F) {
	version := "\x00\x00\x00\x05\x02\x00\x00\x00\x03"
	f.Add([]byte(version + "\x00\x00\x00\x09\x65\x00\x00\x00\x01\x00\x00\x00\x02"))
	f.Add([]byte(version + "\x00\x00\x00\x0a\x67\x00\x00\x00\x01\x00\x00\x00\x01x"))
	f.Add([]byte(version + "\x7f\xff\xff\xff\x66\x00\x00\x00\x01\x00\x00\x00\x01x"))
	f.Add([]byte("\x7f\xff\xff\xff\x02\x00\x00\x00\x03"))
	f.Fuzz(func(t *testing.T, p []byte) {
		near, far := net.Pipe()
		go io.Copy(io.Discard, far)
		conn := struct {
			io.Reader
			io.WriteCloser
		}{bytes.NewReader(p), near}
		defer far.Close()
		l := newLink(conn, peer{}, new(atomic.Int64), maxPacket)
		if l.begin() != nil {
			near.Close()
			return
		}
		owner := new(session)
		read, _ := l.send(owner, newPacket(fxRead, 0).text("h").offset(0).number(10), 10)
		stat, _ := l.send(owner, newPacket(fxStat, 0).text("/"), 0)
		l.run()
		<-l.over
		for _, c := range []*call{read, stat} {
			select {
			case a := <-c.answer:
				if a.kind == fxData && (c.want == 0 || len(a.body) > c.want) {
					t.Errorf("%d bytes for %d", len(a.body), c.want)
				}
			default:
			}
		}
		if l.failed() == nil {
			t.Error("the link is over without a reason")
		}
	})
}

func FuzzParseJump(f *testing.F) {
	for _, s := range []string{"h", "u@h:22", "ssh://u@[::1]:22", "[::1]", "@", ":", "a@b@c:0", "h:99999"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, host, _, err := parseJump(s)
		if err == nil && (host == "" || strings.HasPrefix(host, "[")) {
			t.Errorf("%q has the host %q", s, host)
		}
	})
}
