package geminitest

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"net"
	neturl "net/url"
	"path"
	"slices"
	"strings"
)

// serve answers one request, after which the connection is closed.
func (s *Server) serve(ctx context.Context, tcp *net.TCPConn, number int) {
	conn := tls.Server(tcp, s.tls)
	r, err := read(conn)
	if err != nil && err != errTooLong {
		return
	}
	r.Conn = number
	if shown := conn.ConnectionState().PeerCertificates; len(shown) > 0 {
		r.Certificate = shown[0]
	}
	refusal := r.parse()
	s.requests.Add(r)
	if octets, ok := s.replies.To(r.Line, r); ok {
		s.send(ctx, conn, tcp, r.Path, strings.NewReader(octets))
		return
	}
	if refusal == "" {
		refusal = s.refusal(r)
	}
	if refusal != "" {
		s.send(ctx, conn, tcp, r.Path, strings.NewReader(refusal+"\r\n"))
		return
	}
	body := s.answer(r)
	if file, ok := body.(io.Closer); ok {
		defer file.Close()
	}
	s.send(ctx, conn, tcp, r.Path, body)
}

// refuse answers a connection that is one too many.
func (s *Server) refuse(tcp *net.TCPConn) {
	conn := tls.Server(tcp, s.tls)
	if _, err := read(conn); err == nil {
		io.WriteString(conn, "41 Too many connections\r\n")
		conn.CloseWrite()
	}
}

// refusal returns the first line of an answer to a request for a page that its client may not
// see.
func (s *Server) refusal(r Request) string {
	allowed, private := s.private[r.Path]
	switch {
	case !private:
	case r.Certificate == nil:
		return "60 A certificate is wanted"
	case len(allowed) > 0 && !slices.Contains(allowed, Fingerprint(r.Certificate)):
		return "61 Not for this certificate"
	}
	return ""
}

// An input is a page that wants an answer.
type input struct {
	status   int
	question string
	page     func(words string) string
}

// answer returns the answer to a request.
func (s *Server) answer(r Request) io.Reader {
	if in, ok := s.inputs[r.Path]; ok {
		words, err := neturl.PathUnescape(strings.TrimPrefix(r.Query, "?"))
		if r.Query == "" || err != nil {
			return line("%d %s", in.status, in.question)
		}
		return page("text/gemini", strings.NewReader(in.page(words)))
	}
	decoded, _ := neturl.PathUnescape(r.Path)
	name := strings.TrimPrefix(path.Clean(decoded), "/")
	if name == "" {
		name = "."
	}
	info, err := fs.Stat(s.fsys, name)
	switch {
	case err != nil:
		return line("51 Not found")
	case info.IsDir() && !strings.HasSuffix(r.Path, "/"):
		return line("31 %s/", r.Path)
	case !info.IsDir() && strings.HasSuffix(r.Path, "/"):
		return line("51 Not found")
	case info.IsDir():
		if file, err := s.fsys.Open(path.Join(name, "index.gmi")); err == nil {
			return page("text/gemini", file)
		}
		return s.list(name, decoded)
	}
	file, err := s.fsys.Open(name)
	if err != nil {
		return line("40 It cannot be read")
	}
	return page(typeOf(name), file)
}

// list is the page of a directory.
func (s *Server) list(name, shown string) io.Reader {
	entries, err := fs.ReadDir(s.fsys, name)
	if err != nil {
		return line("40 It cannot be read")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Index of %s\n\n", shown)
	for _, e := range entries {
		end := ""
		if e.IsDir() {
			end = "/"
		}
		fmt.Fprintf(&b, "=> ./%s%s %s%s\n", neturl.PathEscape(e.Name()), end, e.Name(), end)
	}
	return page("text/gemini", strings.NewReader(b.String()))
}

// line is an answer without a body.
func line(format string, args ...any) io.Reader {
	return strings.NewReader(fmt.Sprintf(format, args...) + "\r\n")
}

// page is an answer with a body.
func page(mediaType string, body io.Reader) io.Reader {
	head := line("20 %s", mediaType)
	if closer, ok := body.(io.Closer); ok {
		return struct {
			io.Reader
			io.Closer
		}{io.MultiReader(head, body), closer}
	}
	return io.MultiReader(head, body)
}

// typeOf returns the media type of a file.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".gmi", ".gemini":
		return "text/gemini"
	case ".txt":
		return "text/plain"
	case ".html":
		return "text/html"
	case ".gif":
		return "image/gif"
	}
	return "application/octet-stream"
}
