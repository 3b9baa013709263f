package dict_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
)

// FuzzQuote checks that a server reads any quoted word as a single word.
func FuzzQuote(f *testing.F) {
	for _, word := range []string{"sun", "ice cream", `"`, `\`, `\" QUIT \"`, "'", "", "naïve", "a\tb", "\x7f"} {
		f.Add(word, true)
		f.Add(word, false)
	}
	f.Fuzz(func(t *testing.T, word string, must bool) {
		if got := dict.Words("MATCH " + dict.Quote(word, must) + " x"); !slices.Equal(got, []string{"MATCH", word, "x"}) {
			t.Errorf("%q is sent as %s and read as %q", word, dict.Quote(word, must), got)
		}
	})
}

// A recital is a connection to a server that sends a fixed text, whatever it receives, and then
// closes.
type recital struct {
	io.Reader
	heard bytes.Buffer
}

func (r *recital) Write(p []byte) (int, error)      { return r.heard.Write(p) }
func (r *recital) Close() error                     { return nil }
func (r *recital) LocalAddr() net.Addr              { return new(net.TCPAddr) }
func (r *recital) RemoteAddr() net.Addr             { return new(net.TCPAddr) }
func (r *recital) SetDeadline(time.Time) error      { return nil }
func (r *recital) SetReadDeadline(time.Time) error  { return nil }
func (r *recital) SetWriteDeadline(time.Time) error { return nil }

// forms are URLs, with the commands that the client may send for them.
var forms = []struct{ url, command string }{
	{"dict://h.dom/d:sun:*", `DEFINE \* "sun"`},
	{"dict://h.dom/d:sun:*:2", `DEFINE \* "sun"`},
	{"dict://h.dom/m:su:wn:prefix", `MATCH wn prefix "su"`},
	{"dict://h.dom/", "SHOW DB"},
	{"dict://joe:secret@h.dom/d::wn", "AUTH joe [0-9a-f]{32}|SHOW INFO wn"},
}

// FuzzReplies checks, for any replies of a server, that the client sends only its commands, that
// errors have a class, and that a confirmed Body had its last reply.
func FuzzReplies(f *testing.F) {
	const banner = "220 h <auth> <1@h>\r\n250 ok\r\n"
	for _, text := range []string{
		"150 2 x\r\n151 \"sun\" wn \"WordNet\"\r\n..a\r\n.\r\n151 \"sun\" x \"X\"\r\nb\r\n.\r\n250 ok\r\n",
		"152 2 x\r\nwn \"sub\"\r\nwn \"sun\"\r\n.\r\n250 ok\r\n", "110 1 x\r\nwn \"a\r\n\\\r\n.\r\n250 ok\r\n",
		"230 in\r\n112 x\r\nabout\r\n.\r\n250 ok\r\n", "531 no\r\n", "552 no\r\n", "420 later\r\n", "554 none\r\n", "150\r\n", "1500 x\r\n", "250 ok\r\n", "150 0 x\r\n250 ok\r\n",
	} {
		for form := range uint8(5) {
			f.Add(form, banner+text)
		}
	}
	f.Fuzz(func(t *testing.T, form uint8, said string) {
		at := forms[int(form)%len(forms)]
		server := &recital{Reader: strings.NewReader(said)}
		dial := func(context.Context, string, string) (net.Conn, error) { return server, nil }
		client := &dict.Fetcher{Network: &fetchers.Network{Dial: dial, MaxIdleConns: -1, MaxIdleConnsPerHost: -1}}
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, at.url)})
		if err == nil {
			if res.Kind == fetchers.Listing {
				for entry, bad := range res.Entries() {
					if err = bad; bad == nil && entry.URL != nil {
						if d, err := entry.URL.Dict(); err != nil || d.Host != "h.dom" {
							t.Errorf("an entry leads to %s: %v", entry.URL, err)
						}
					}
				}
			} else {
				_, err = io.ReadAll(res.Body)
			}
			if err == nil && (!res.Confirmed() || !strings.Contains(said, "250") && !strings.Contains(said, "55")) {
				t.Errorf("%q was taken for all", said)
			}
			res.Close()
		}
		if !classed(err) {
			t.Errorf("%v has no class", err)
		}
		known := regexp.MustCompile(`^(CLIENT fetch|QUIT|` + at.command + `)$`)
		for line := range strings.SplitSeq(strings.TrimSuffix(server.heard.String(), "\r\n"), "\r\n") {
			if line != "" && !known.MatchString(line) {
				t.Errorf("%q was sent", line)
			}
		}
	})
}

// classed reports whether an error has a class that callers can test, or a code.
func classed(err error) bool {
	var status *fetchers.StatusError
	if err == nil || errors.As(err, &status) {
		return true
	}
	for _, class := range []error{io.ErrUnexpectedEOF, fs.ErrNotExist, fetchers.ErrProtocol, fetchers.ErrTemporary} {
		if errors.Is(err, class) {
			return true
		}
	}
	return false
}

// dictd does not escape quotes in a description.
func TestDescribed(t *testing.T) {
	for line, want := range map[string]string{
		`"WordNet (r) 3.0"`: "WordNet (r) 3.0", `"Words "for" tests"`: `Words "for" tests`, `"a \"b\" c"`: `a "b" c`,
		"The Jargon File": "The Jargon File", "": "", `"`: "", `"open`: "open",
	} {
		if got := dict.Described(line); got != want {
			t.Errorf("%s is read as %q, want %q", line, got, want)
		}
	}
}
