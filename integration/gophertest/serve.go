package gophertest

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path"
	"strings"
)

// serve answers one request, after which the connection is closed.
func (s *Server) serve(ctx context.Context, tcp *net.TCPConn, number int) {
	conn, err := s.sniff(tcp)
	if err != nil {
		return
	}
	r, err := s.read(conn)
	if err != nil {
		return
	}
	_, r.TLS = conn.(*tls.Conn)
	r.Conn = number
	s.requests.Add(r)
	if octets, ok := s.replies.To(r.Line, r); ok {
		s.send(ctx, conn, tcp, r.Selector, strings.NewReader(octets))
		return
	}
	a := s.answer(r)
	if file, ok := a.body.(io.Closer); ok {
		defer file.Close()
	}
	s.send(ctx, conn, tcp, r.Selector, s.octets(a))
}

// refuse answers a connection that is one too many.
func (s *Server) refuse(tcp *net.TCPConn) {
	conn, err := s.sniff(tcp)
	if err != nil {
		return
	}
	if _, err := s.read(conn); err == nil {
		io.Copy(conn, s.octets(answer{fail: "Too many connections"}))
	}
}

// An answer is the content of a response, without the mark of its end.
type answer struct {
	plus bool // with a status line
	text bool // it may end with a dot
	menu bool
	fail string // the words of a failure
	size int    // of the body
	body io.Reader
}

// answer returns the answer to a request.
func (s *Server) answer(r Request) answer {
	if r.twoTabs && s.oneTab && !s.plain {
		return answer{fail: "Malformed command"}
	}
	plus := r.Plus != ""
	known := s.added["/"+clean(r.Selector)]
	if known == nil {
		known = new(added)
	}
	info, statErr := fs.Stat(s.fsys, fsName(clean(r.Selector)))
	there := statErr == nil || known.menu != nil || known.form != nil || len(known.views) > 0
	switch {
	case !there:
		return answer{plus: plus, fail: fmt.Sprintf("'%s' does not exist", r.Selector)}
	case strings.HasPrefix(r.Plus, "!"):
		return menuAnswer(s.attributes(clean(r.Selector), r.Plus[1:]), true)
	case strings.HasPrefix(r.Plus, "$"):
		if statErr != nil || !info.IsDir() {
			return answer{plus: true, fail: "that is not a directory"}
		}
		return menuAnswer(s.allAttributes(clean(r.Selector), r.Plus[1:]), true)
	case known.form != nil:
		text := known.form(r.Answers)
		return answer{plus: plus, text: true, size: len(text), body: strings.NewReader(text)}
	case known.menu != nil:
		return menuAnswer(s.complete(known.menu(r.Words)), plus)
	case len(known.views) > 0:
		v := known.choose(r.Plus)
		return answer{plus: plus, text: strings.HasPrefix(v.mediaType, "text/"), size: len(v.content), body: strings.NewReader(v.content)}
	case info.IsDir():
		return menuAnswer(s.list(clean(r.Selector)), plus)
	}
	file, err := s.fsys.Open(clean(r.Selector))
	if err != nil {
		return answer{plus: plus, fail: fmt.Sprintf("Access to '%s' is denied", r.Selector)}
	}
	return answer{plus: plus, text: typeOf(r.Selector, false) == '0', size: int(info.Size()), body: file}
}

// menuAnswer is a menu, or attributes.
func menuAnswer(text string, plus bool) answer {
	return answer{plus: plus, text: true, menu: true, size: len(text), body: strings.NewReader(text)}
}

// choose returns the view that a Gopher+ string requests, or the first one.
func (k *added) choose(plus string) view {
	mediaType, language, _ := strings.Cut(strings.TrimPrefix(plus, "+"), " ")
	for _, v := range k.views {
		if strings.EqualFold(v.mediaType, mediaType) && (language == "" || strings.EqualFold(v.language, language)) {
			return v
		}
	}
	return k.views[0]
}

// octets returns an answer as it goes over the wire.
func (s *Server) octets(a answer) io.Reader {
	switch {
	case a.fail != "" && a.plus:
		return strings.NewReader("--1\r\n1 gophertest <gopher@example.org>\r\n" + a.fail + "\r\n.\r\n")
	case a.fail != "":
		return strings.NewReader("3" + a.fail + "\t\terror.host\t1\r\n.\r\n")
	}
	length, dot := s.length, a.text && !s.noDot
	if a.plus {
		if length == Counted && a.menu {
			length = ByDot
		}
		dot = length == ByDot
	}
	if dot {
		a.body = s.dotted(a.body)
	}
	if a.plus {
		return io.MultiReader(strings.NewReader(length.status(a.size)), a.body)
	}
	return a.body
}

// dotted returns text with the dot at its end, and a line end before that.
func (s *Server) dotted(body io.Reader) io.Reader {
	text, err := io.ReadAll(body)
	if err != nil {
		return bytes.NewReader(nil)
	}
	if s.stuff != nil {
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			bare, cr := strings.CutSuffix(line, "\r")
			lines[i] = s.stuff(bare)
			if cr {
				lines[i] += "\r"
			}
		}
		text = []byte(strings.Join(lines, "\n"))
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, "\r\n"...)
	}
	return bytes.NewReader(append(text, ".\r\n"...))
}

// clean returns the name of a selector in the file system.
func clean(selector string) string {
	return strings.TrimPrefix(path.Clean("/"+selector), "/")
}
