package fetchers

import (
	"context"
	"strconv"

	"github.com/seed1ea3422f/fetch/url"
)

// A Credential is a user name and a password.
type Credential struct {
	User, Password string
	Source         string // "url", "netrc", "prompt": shown when tracing
}

// An Origin is what a credential is good for.
type Origin struct {
	Scheme, Host, Port, Realm string

	User string // whose password is wanted, if that is known

	// Redirected tells that a server of another origin has sent us here. What
	// is good for the host in general is then not meant: it may have been
	// meant for TLS, or for another port. A Keychain is not asked about a URL
	// that a stranger has named.
	Redirected bool
}

// OriginOf returns the Origin of u, with no Realm. That of a nil URL is the zero Origin.
func OriginOf(u *url.URL) Origin {
	if u == nil {
		return Origin{}
	}
	o := Origin{Scheme: u.Scheme, Host: u.Host, Port: strconv.Itoa(int(u.PortOrDefault()))}
	o.User = u.LoginName()
	return o
}

// A Keychain finds credentials. Lookup returns ErrLogin if it has none.
type Keychain interface {
	Lookup(ctx context.Context, o Origin) (Credential, error)
}

// Credential returns what req presents to the server: its Login, else the user
// of its URL. It returns nil if there is neither. A user without a password is
// returned with passwordSet false: the server may be content with the name. A URL that a
// stranger has named gets neither.
func (req *Request) Credential() (c *Credential, passwordSet bool) {
	if req.Named == ByStranger {
		return nil, false
	}
	if req.Login != nil {
		return req.Login, true
	}
	if user := req.URL.User; user != nil {
		return &Credential{User: req.URL.LoginName(), Password: user.Password, Source: "url"}, user.PasswordSet
	}
	return nil, false
}
