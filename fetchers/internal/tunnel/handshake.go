package tunnel

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
)

// maxPage is the largest body of a refusal that is read to keep the connection.
const maxPage = 1 << 20

// shake is Connect with a login of the connection, which needs two requests:
//
//	C: CONNECT example.org:21 HTTP/1.1
//	C: Proxy-Authorization: NTLM TlRMTVNTUAABAAAA…
//	S: HTTP/1.1 407 Proxy Authentication Required
//	S: Proxy-Authenticate: NTLM TlRMTVNTUAACAAAA…
//	C: CONNECT example.org:21 HTTP/1.1
//	C: Proxy-Authorization: NTLM TlRMTVNTUAADAAAA…
//	S: HTTP/1.1 200 Connection established
func (r Request) shake(trace fetchers.Tracer, c io.ReadWriter) (err error) {
	if r.Login, err = r.Handshake.Begin(); err != nil {
		return err
	}
	a, err := r.ask(trace, c)
	if err != nil {
		return err
	}
	refusal := a.refusal()
	var refused *Refusal
	if !errors.As(refusal, &refused) {
		return nil
	}
	if r.Login, err = r.Handshake.Answer(refused.Challenges()); errors.Is(err, httpauth.ErrNoChallenge) {
		return refusal
	}
	if err != nil {
		return err
	}
	goesOn, err := a.skip(c)
	if err != nil {
		return err
	}
	if !goesOn {
		trace.Note("the proxy ends the connection before the login by NTLM is complete")
		return refusal
	}
	if a, err = r.ask(trace, c); err != nil {
		return err
	}
	return a.refusal()
}

// skip reads the body of a, and reports whether the connection can be used afterwards. Bytes after
// the body are an error, since no other request was sent.
func (a *answer) skip(c io.Reader) (goesOn bool, err error) {
	in := bufio.NewReader(io.MultiReader(bytes.NewReader(a.head), c))
	resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodGet})
	if err != nil {
		return false, nonsense("malformed header: %.100s", err)
	}
	sized := resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0
	if resp.Close || !sized || strings.EqualFold(resp.Header.Get("Proxy-Connection"), "close") {
		return false, nil
	}
	switch _, err := io.CopyN(io.Discard, resp.Body, maxPage); {
	case err == nil:
		return false, nonsense("the body of a refusal has more than %d bytes", maxPage)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return false, errClosed
	case err != io.EOF:
		return false, err
	}
	if in.Buffered() > 0 {
		return false, nonsense("unexpected bytes after the refusal of the proxy")
	}
	return true, nil
}
