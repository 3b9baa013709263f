package fetchers

import (
	"net/textproto"

	"github.com/seed1ea3422f/fetch/url"
)

// A Namer says who named the URL of a Request. The further it is from the user, the
// fewer secrets go there.
type Namer uint8

const (
	// ByUser is for a URL that the user, or whoever made the Request, has chosen.
	// Every secret that is for its origin may go there.
	ByUser Namer = iota

	// ByServer is for a URL of another origin, to which a server has redirected. It
	// gets no certificate, and a Keychain is told that it was redirected. A Client sets
	// it when it follows a redirection.
	ByServer

	// ByStranger is for a URL that was found in a document, in a list from the network
	// or in a field such as Link (RFC 6249): the user did not name it. It gets no secret
	// at all, be it a login, a certificate or a cookie, and neither does a URL that it
	// redirects to.
	ByStranger
)

// strangerRedirects is how many redirections a Client follows from a URL that a stranger
// has named: enough for http to https, a mirror selector, and one redirection at the mirror.
const strangerRedirects = 3

// harmless are the fields of a Header that go to a URL that a stranger has named.
var harmless = []string{"User-Agent", "Accept", "Accept-Language", "Want-Repr-Digest", "Via"}

// FromStranger returns a copy of req for a URL that a stranger has named: without a Login,
// the user of the URL, and the fields of the Header that may be secrets.
func (req *Request) FromStranger() *Request {
	r := *req
	r.Named, r.Login, r.Header = ByStranger, nil, nil
	if r.URL != nil && r.URL.User != nil {
		u := *r.URL
		u.User = nil
		r.URL = &u
	}
	for _, name := range harmless {
		if values := req.Header[name]; values != nil {
			if r.Header == nil {
				r.Header = make(textproto.MIMEHeader)
			}
			r.Header[name] = values
		}
	}
	return &r
}

// At returns a copy of req for u, a further question to where the answer to req came from.
// Login and Header are for the origin of req only.
func (req *Request) At(u *url.URL) *Request {
	r := *req
	r.URL = u
	if !u.SameOrigin(req.URL) {
		r.Login, r.Header, r.Named = nil, nil, max(r.Named, ByServer)
	}
	return &r
}

// redirected returns who named u, to which r was redirected, if first is the URL that was asked
// first, and named who named that. A server that sends us back to the origin of first has
// not chosen the origin.
func (named Namer) redirected(u, first *url.URL) Namer {
	if u.SameOrigin(first) {
		return named
	}
	return max(named, ByServer)
}
