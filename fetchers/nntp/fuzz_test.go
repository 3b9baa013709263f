package nntp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
)

// A recital is a connection to a server that sends a fixed text, whatever it reads, and then closes
// it.
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

// knownCommand matches the commands that the client may send for the URLs of FuzzReplies.
var knownCommand = regexp.MustCompile(`^(MODE READER|QUIT|CAPABILITIES|STARTTLS|COMPRESS DEFLATE|DATE|GROUP g\.a|LISTGROUP|(ARTICLE|HEAD) (<a@b\.dom>|[0-9]+)|X?OVER [0-9]+-[0-9]+|LIST (NEWSGROUPS|ACTIVE|COUNTS)( g\.\*)?)$`)

// FuzzReplies checks that, whatever a server replies, an article is the requested one, unchanged;
// that entries lie in the requested range; that errors have a class; and that the client sends only
// known commands.
func FuzzReplies(f *testing.F) {
	const ready = "200 hi\r\n201 reader\r\n"
	for _, text := range []string{
		"220 0 <a@b.dom> article\r\nSubject: s\r\n\r\n..dot\r\nend\r\n.\r\n",
		"220 5 <c@d.dom>\r\n\r\nother\r\n.\r\n",
		"211 2 5 6 g.a\r\n220 5 <a@b.dom>\r\nMessage-ID: <a@b.dom>\r\n\r\ntext\r\n.\r\n",
		"211 2 5 6 g.a\r\n221 6 <c@d.dom>\r\nMessage-ID: <c@d.dom>\r\n.\r\n",
		"211 2 5 6 g.a\r\n224 overview\r\n5\ts\tf\td\t<a@b.dom>\t\t1\t1\r\n6\ts\tf\td\t<c@d.dom>\t\t1\t1\tXref: x\r\n.\r\n",
		"211 2 5 6 g.a\r\n224 overview\r\n7\ts\tf\td\t<a@b.dom>\t\t1\t1\r\n.\r\n",
		"211 2 5 6 g.a\r\n500 no\r\n500 no\r\n211 list\r\n5\r\n6\r\n.\r\n221 5 <a@b.dom>\r\nSubject: a\r\n\tb\r\n.\r\n423 gone\r\n",
		"101 list\r\nVERSION 2\r\nLIST ACTIVE COUNTS\r\n.\r\n215 list\r\ng.a\tabout\r\n.\r\n215 list\r\ng.a 6 5 2 y\r\n.\r\n",
		"480 login\r\n", "430 no\r\n", "400 too many connections\r\n", "483 TLS\r\n382 go\r\n", "220\r\n", "2200 0 <a@b.dom>\r\n", "211 2 5 6 g.b\r\n",
	} {
		for form := range uint8(5) {
			f.Add(form, ready+text)
		}
	}
	f.Fuzz(func(t *testing.T, form uint8, said string) {
		forms := []string{"news://h.dom/a@b.dom", "nntp://h.dom/g.a/5", "nntp://h.dom/g.a/5-6", "nntp://h.dom/g.a/5", "news://h.dom/g.*"}
		at := int(form) % len(forms)
		server := &recital{Reader: strings.NewReader(said)}
		dial := func(context.Context, string, string) (net.Conn, error) { return server, nil }
		news := &nntp.Fetcher{NoReuse: true, Network: &fetchers.Network{Dial: dial}}
		res, err := news.Fetch(t.Context(), &fetchers.Request{URL: parse(t, forms[at]), Describe: at == 3})
		var got []byte
		if err == nil {
			got, err = io.ReadAll(res.Body)
			res.Close()
		}
		if !classed(err) {
			t.Errorf("%v has no class", err)
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(server.heard.String(), "\r\n"), "\r\n") {
			if line != "" && !knownCommand.MatchString(line) && !strings.Contains(server.heard.String(), "COMPRESS") && !strings.Contains(server.heard.String(), "STARTTLS") {
				t.Errorf("%q was sent", line)
			}
		}
		if err != nil {
			return
		}
		switch at {
		case 0, 1, 3:
			words := strings.Split(res.Reply.Text+" ", " ")
			if at == 0 && words[1] != "<a@b.dom>" || at > 0 && strings.TrimLeft(words[0], "0") != "5" {
				t.Errorf("the reply about %s is %+v", forms[at], res.Reply)
			}
			if sent := bytes.ReplaceAll(append([]byte("\r\n"), got...), []byte("\r\n."), []byte("\r\n.."))[2:]; !strings.Contains(unstuffed(said), unstuffed(string(sent))) {
				t.Errorf("%q is not what was sent", got)
			}
		case 2:
			for line := range strings.SplitSeq(string(got), "\n") {
				if o, ok := nntp.ParseOverview(line); ok && (o.Number < 5 || o.Number > 6) {
					t.Errorf("%q is listed", line)
				}
			}
		}
	})
}

// unstuffed returns text without dots at the beginning of lines, since a server may fail to double
// one.
func unstuffed(text string) string {
	for strings.Contains(text, "\r\n.") {
		text = strings.ReplaceAll(text, "\r\n.", "\r\n")
	}
	return strings.TrimLeft(text, ".")
}

// classed reports whether an error has a class.
func classed(err error) bool {
	var status *fetchers.StatusError
	if err == nil || errors.As(err, &status) {
		return true
	}
	for _, class := range []error{
		io.ErrUnexpectedEOF, fs.ErrNotExist, fs.ErrPermission, fetchers.ErrProtocol, fetchers.ErrLogin, fetchers.ErrTemporary, fetchers.ErrBlocked, fetchers.ErrCoding,
	} {
		if errors.Is(err, class) {
			return true
		}
	}
	return strings.Contains(err.Error(), "TLS: ")
}
