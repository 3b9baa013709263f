package http

import (
	"fmt"
	nethttp "net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
	"github.com/seed1ea3422f/fetch/url"
)

// maxInterim is how many responses of 1xx may come before the answer. One or two
// are usual.
const maxInterim = 16

// An attempt is one request on its way, as net/http tells of it.
type attempt struct {
	trace   *fetchers.Trace
	target  string                         // as it stands in the first line
	shown   string                         // method and target, with no secret
	conn    atomic.Pointer[transport.Conn] // that the request went over, or nil
	interim atomic.Int32
	slot    func() // gives back a slot of a fallback; nil without one
}

func newAttempt(r *nethttp.Request) *attempt {
	a := &attempt{trace: fetchers.ContextTrace(r.Context()), target: requestTarget(r)}
	if a.trace.Lines() {
		a.shown = r.Method + " " + shown(r)
	}
	return a
}

// of returns r as net/http is to send it: so that a is told, sent is called once the header
// is on its way, and with all of its content, which an earlier attempt may have read.
func (a *attempt) of(r *nethttp.Request, sent func()) (*nethttp.Request, error) {
	r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		WroteHeaderField: a.wroteField,
		WroteHeaders:     sent,
		Got1xxResponse:   a.gotInterim,
	}))
	if r.GetBody == nil {
		return r, nil
	}
	var err error
	r.Body, err = r.GetBody()
	return r, err
}

// gotConn takes note of the connection that the request goes over, and of its version.
func (a *attempt) gotConn(c *transport.Conn, version string) {
	a.conn.Store(c)
	if a.trace.Lines() {
		a.trace.Sent(a.shown + " " + version)
	}
}

func (a *attempt) wroteField(key string, values []string) {
	if strings.HasPrefix(key, ":") || !a.trace.Lines() {
		return // HTTP/2 says there what the first line says here
	}
	for _, v := range values {
		a.trace.Sent(key + ": " + MaskedSent(key, v))
	}
}

func (a *attempt) gotInterim(code int, _ textproto.MIMEHeader) error {
	a.trace.Note("interim response: " + strconv.Itoa(code) + " " + nethttp.StatusText(code))
	if a.interim.Add(1) > maxInterim {
		return fmt.Errorf("%w: more than %d interim responses", fetchers.ErrProtocol, maxInterim)
	}
	return nil
}

// harmless are the fields of a request that hold no secret. Any other field may hold a
// secret, since each API names its own key field.
var harmless = wordSet(`Accept Accept-Charset Accept-Datetime Accept-Encoding Accept-Language A-IM Cache-Control
	Connection Content-Encoding Content-Language Content-Length Content-Type Date Depth DNT Expect Host If-Match
	If-Modified-Since If-None-Match If-Range If-Unmodified-Since Icy-MetaData Keep-Alive Max-Forwards Origin Pragma
	Prefer Priority Proxy-Connection Range Save-Data Sec-Fetch-Dest Sec-Fetch-Mode Sec-Fetch-Site Sec-Fetch-User
	Sec-GPC TE Upgrade-Insecure-Requests User-Agent Via Want-Content-Digest Want-Digest Want-Repr-Digest
	X-Requested-With`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for word := range strings.FieldsSeq(strings.ToLower(words)) {
		set[word] = true
	}
	return set
}

// MaskedSent returns the value of a header field of a request as a Trace is told it. It is
// *** but for fields that are known to be harmless, the scheme of a login and the names
// of cookies. Of a Referer the query is ***.
func MaskedSent(key, value string) string {
	switch key = strings.ToLower(key); {
	case key == "referer":
		place, _, query := strings.Cut(url.Redact(value), "?")
		place, _, fragment := strings.Cut(place, "#")
		switch {
		case query:
			return place + "?***"
		case fragment:
			return place + "#***"
		}
		return place
	case key == "authorization", key == "proxy-authorization", key == "cookie", harmless[key]:
		return Masked(key, value)
	}
	return "***"
}

// Masked returns the value of a header field of an answer as a Trace is told it: what the
// field keeps secret, by its name, is ***.
func Masked(key, value string) string { return httpfield.Masked(key, value) }

// told tells the Trace what came.
func told(resp *nethttp.Response) {
	httpfield.Got(fetchers.ContextTrace(resp.Request.Context()), resp.Proto+" "+resp.Status, resp.Header)
}
