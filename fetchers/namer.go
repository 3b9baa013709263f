package fetchers

import (
	"net/textproto"

	"github.com/seed1ea3422f/fetch/url"
)

// A Namer is the source of the URL of a Request. It decides which secrets are sent to that URL.
type Namer uint8

const (
	// ByUser is for a URL that the user or the calling program has chosen. All secrets for its
	// origin may be sent.
	ByUser Namer = iota

	// ByServer is for a URL of another origin to which a server has redirected. No client
	// certificate is presented, and a Keychain sees that the URL was redirected. A Client sets
	// ByServer when it follows a redirection.
	ByServer

	// ByStranger is for a URL that was found in a document, in a list from the network or in a
	// field such as Link (RFC 6249). No secret is sent to it: neither a login, a client certificate
	// nor a cookie. The same holds for a URL to which it redirects.
	ByStranger
)

// strangerRedirects is how many redirections a Client follows from a URL with Namer ByStranger:
// from http to https, at a mirror selector, and at the mirror.
const strangerRedirects = 3

// harmless are the fields of a Header that are sent to a URL with Namer ByStranger.
var harmless = []string{"User-Agent", "Accept", "Accept-Language", "Want-Repr-Digest", "Via"}

// FromStranger returns a copy of req with Namer ByStranger: without a Login, the user of the URL,
// and fields of the Header that may be secrets.
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

// At returns a copy of req for u, which came from the answer to req. Login and Header are kept only
// if the origin is the same.
func (req *Request) At(u *url.URL) *Request {
	r := *req
	r.URL = u
	if !u.SameOrigin(req.URL) {
		r.Login, r.Header, r.Named = nil, nil, max(r.Named, ByServer)
	}
	return &r
}

// redirected returns the Namer of u, the target of a redirection. first is the first URL of the
// fetch, and named its Namer. A redirection back to the origin of first does not count: the server
// has not chosen this origin.
func (named Namer) redirected(u, first *url.URL) Namer {
	if u.SameOrigin(first) {
		return named
	}
	return max(named, ByServer)
}
