package http

import (
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpfield"
	"github.com/seed1ea3422f/fetch/url"
)

// harmless are request fields that contain no secret. Every other field may, because each API
// chooses its own field for its key.
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

// MaskedSent returns the value of a request field as a Trace shows it. It is *** except for
// harmless fields, the scheme of a login and the names of cookies. The query of a Referer is ***.
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

// Masked returns the value of a response field as a Trace shows it. Secrets, by the name of the
// field, are ***.
func Masked(key, value string) string { return httpfield.Masked(key, value) }

// traceResponse reports the status line and header of resp to the Trace.
func traceResponse(resp *nethttp.Response) {
	if trace := fetchers.ContextTrace(resp.Request.Context()); trace.Lines() {
		httpfield.Got(trace, resp.Proto+" "+resp.Status, resp.Header)
	}
}
