// Package tunnel makes an HTTP proxy connect to a server (RFC 9110, section 9.3.6):
//
//	C: CONNECT example.org:21 HTTP/1.1
//	C: Host: example.org:21
//	C: User-Agent: fetch
//	C: Proxy-Authorization: Basic am9lOnNlY3JldA==
//	C:
//	S: HTTP/1.1 200 Connection established
//	S:                                   the bytes that follow are from example.org:21
//
// The connection to the proxy belongs to the caller: its deadlines apply, and only the caller
// closes it.
package tunnel

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
)

// A Request is a CONNECT request. Target is required.
type Request struct {
	Target    string              // host:port; an IPv6 address has brackets and no zone
	Agent     string              // User-Agent; "" means fetch
	Login     string              // Proxy-Authorization for the method CONNECT and the Target; "" means none
	Handshake *httpauth.Handshake // logs in the connection in place of Login; nil without one
	HTTP10    bool                // use HTTP/1.0
	MaxHead   int                 // maximum size of the response with its interim responses, in bytes; 0 means 256 KiB
}

const (
	maxHead    = 256 << 10
	maxInterim = 16 // interim responses; proxies send one or two
)

// ErrUnsendable means that nothing was sent: the request contains a byte that would end a line, or
// that is not allowed in its place.
var ErrUnsendable = errors.New("the request cannot be sent")

// errClosed is temporary: a busy or restarting proxy closes its connections.
var errClosed = fetchers.Temporary(errors.New("it closed the connection before it answered"))

// Connect sends r over c, which is a TLS connection for an https proxy, and reads the response. It
// reads no byte after the response: these are from the server, which may send first. Request and
// response are reported to trace, with secrets masked.
//
// If the proxy refuses, the error is a *Refusal, whose Wait is that of Retry-After. An invalid
// response is an ErrProtocol, and the end of the connection before a response an ErrTemporary. The
// error contains neither the proxy nor the target.
func (r Request) Connect(trace fetchers.Tracer, c io.ReadWriter) error {
	if err := r.check(); err != nil {
		return err
	}
	if r.Handshake != nil {
		return r.shake(trace, c)
	}
	a, err := r.ask(trace, c)
	if err != nil {
		return err
	}
	return a.refusal()
}

// ask sends r once, and returns the final response.
func (r Request) ask(trace fetchers.Tracer, c io.ReadWriter) (*answer, error) {
	if err := r.send(trace, c); err != nil {
		return nil, err
	}
	in := &answers{r: c, most: cmp.Or(r.MaxHead, maxHead), read: make([]byte, 0, 512)}
	for range maxInterim + 1 {
		a, err := in.next()
		switch {
		case err != nil:
			return nil, err
		case a.Code == http.StatusSwitchingProtocols:
			return nil, nonsense("%s, which was not requested", a.line())
		case a.Code/100 == 1: // RFC 9110, section 15.2: another response follows
			trace.Note("interim response: " + strconv.Itoa(a.Code) + " " + http.StatusText(a.Code))
			continue
		}
		httpfield.Got(trace, a.line(), a.fields)
		return a, nil
	}
	return nil, nonsense("more than %d interim responses", maxInterim)
}

// check returns ErrUnsendable unless r is a single valid request.
func (r Request) check() error {
	unsendable := func(part string) error {
		return fmt.Errorf("%w: its %s has a byte that is not allowed", ErrUnsendable, part)
	}
	control := func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7F }
	switch {
	case r.Target == "" || strings.ContainsFunc(r.Target, unfit):
		return unsendable("target")
	case strings.ContainsFunc(r.Agent, control):
		return unsendable("User-Agent")
	case strings.ContainsFunc(r.Login, control):
		return unsendable("Proxy-Authorization")
	}
	return nil
}

// unfit reports whether a character is not allowed in host and port (RFC 3986, section 3.2).
func unfit(c rune) bool {
	return !('a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune("-._~!$&'()*+,;=%:[]", c))
}

// send writes the request in one Write.
func (r Request) send(trace fetchers.Tracer, c io.ReadWriter) error {
	const login = "Proxy-Authorization"
	version := "HTTP/1.1"
	if r.HTTP10 {
		version = "HTTP/1.0"
	}
	text := "CONNECT " + r.Target + " " + version + "\r\nHost: " + r.Target + "\r\nUser-Agent: " + cmp.Or(r.Agent, "fetch") + "\r\n"
	if trace.Lines() {
		for line := range strings.Lines(text) {
			trace.Sent(strings.TrimSuffix(line, "\r\n"))
		}
	}
	if r.Login != "" {
		text += login + ": " + r.Login + "\r\n"
		trace.Sent(login + ": " + httpfield.Masked(login, r.Login))
	}
	_, err := io.WriteString(c, text+"\r\n")
	if !hasEnded(err) {
		return err
	}
	// If the proxy has refused TLS, for example because of a missing certificate, an alert has the
	// reason.
	if _, reason := c.Read(make([]byte, 1)); reason != nil && !hasEnded(reason) {
		return reason
	}
	return err
}

// hasEnded reports whether err is the end of a connection, orderly or not.
func hasEnded(err error) bool {
	for _, end := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE} {
		if errors.Is(err, end) {
			return true
		}
	}
	return false
}

// nonsense returns an ErrProtocol for an invalid response.
func nonsense(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{fetchers.ErrProtocol}, args...)...)
}
