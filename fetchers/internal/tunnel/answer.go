package tunnel

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/textproto"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
)

// A Refusal is the response of a proxy that refuses a tunnel. Its Class is never ErrLogin, since a
// Client would then send the login for the server, nor fs.ErrNotExist or ErrRange, since the server
// was not reached.
type Refusal struct {
	fetchers.StatusError
}

// Challenges returns the challenges of the proxy: the fields Proxy-Authenticate of a 407 (RFC 9110,
// section 11.7.1).
func (r *Refusal) Challenges() []string {
	if r.Code != http.StatusProxyAuthRequired {
		return nil
	}
	return r.Header["Proxy-Authenticate"]
}

// Unwrap returns the *StatusError.
func (r *Refusal) Unwrap() error { return &r.StatusError }

// An answer is the header of a response.
type answer struct {
	httpfield.Status
	fields http.Header
	head   []byte // its bytes
}

// line returns the status line, without its end.
func (a *answer) line() string { return a.Proto + " " + a.Text }

// refusal returns a as an error, or nil if a opens the tunnel.
func (a *answer) refusal() error {
	if a.Code/100 == 2 {
		return nil
	}
	return &Refusal{fetchers.StatusError{
		Reply: fetchers.Reply{Proto: a.Proto, Code: a.Code, Text: a.Reason},
		Class: classOf(a.Code), Wait: httpfield.RetryAfter(a.fields), Header: textproto.MIMEHeader(a.fields),
	}}
}

func classOf(code int) error {
	switch code {
	case 401, 403, 407:
		return fs.ErrPermission
	case 408, 425, 429, 500, 502, 503, 504:
		return fetchers.ErrTemporary
	}
	return nil
}

// answers reads the responses to one request: interim responses and the final one.
type answers struct {
	r    io.Reader
	most int    // maximum size of all responses, in bytes
	read []byte // bytes of all responses
}

// next reads the next response. If the first line is no status line, nothing more is read: a server
// that is no proxy may never send a complete header.
func (in *answers) next() (*answer, error) {
	start := len(in.read)
	line, err := in.line()
	if err != nil {
		return nil, err
	}
	a := new(answer)
	if a.Status, err = httpfield.ParseStatus(string(line)); err != nil {
		return nil, nonsense("%w", err)
	}
	if a.Major != 1 {
		return nil, nonsense("malformed HTTP: %.60q in place of a status", a.line())
	}
	begin := len(in.read)
	for !a.EndsHeader(line) {
		if line, err = in.line(); err != nil {
			return nil, err
		}
	}
	if a.fields, _, err = httpfield.ParseFields(string(in.read[begin:])); err != nil {
		return nil, nonsense("%w", err)
	}
	a.head = in.read[start:]
	return a, nil
}

// line reads up to and including LF. It reads byte by byte, because bytes of the tunnel cannot be
// put back.
func (in *answers) line() ([]byte, error) {
	for begin := len(in.read); ; {
		n := len(in.read)
		in.read = append(in.read, 0)
		_, err := io.ReadFull(in.r, in.read[n:])
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errClosed
		case err != nil:
			return nil, err
		case n == in.most:
			return nil, nonsense("a header of more than %d bytes", in.most)
		case in.read[n] == '\n':
			return in.read[begin:], nil
		}
	}
}
