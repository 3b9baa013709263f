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

// A Refusal is the answer of a proxy that makes no tunnel. Its Class is never ErrLogin, for
// which the login of the server would be offered, nor fs.ErrNotExist or ErrRange: the server
// was not asked.
type Refusal struct {
	fetchers.StatusError
}

// Challenges returns the logins that the proxy asks for: the fields Proxy-Authenticate of a 407
// (RFC 9110, section 11.7.1).
func (r *Refusal) Challenges() []string {
	if r.Code != http.StatusProxyAuthRequired {
		return nil
	}
	return r.Header["Proxy-Authenticate"]
}

// Unwrap returns the *StatusError.
func (r *Refusal) Unwrap() error { return &r.StatusError }

// An answer is the head of a response.
type answer struct {
	httpfield.Status
	fields http.Header
	head   []byte // its octets
}

// line is the status line, without its end.
func (a *answer) line() string { return a.Proto + " " + a.Text }

// refusal returns the error that a is, or nil if a makes the tunnel.
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

// The answers to one request are the interim responses and the one after them.
type answers struct {
	r    io.Reader
	most int    // octets of all answers
	read []byte // all of them
}

// next reads the next answer. A first line that is no status line is the last that is read: what
// is no proxy may send no header.
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

// line reads up to and with LF. It reads one octet at a time: there is nowhere to put back an
// octet of the server.
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
