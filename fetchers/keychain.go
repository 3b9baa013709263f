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

// An Origin is the scope of a credential.
type Origin struct {
	Scheme, Host, Port, Realm string

	User string // user whose password is needed, or ""

	// Redirected means that a server of another origin has redirected here. Credentials for the
	// host in general then do not apply, since they may be meant for TLS or for another port. A
	// Keychain is not used for a URL with Namer ByStranger.
	Redirected bool
}

// OriginOf returns the Origin of u, without a Realm. For a nil URL it returns the zero Origin.
func OriginOf(u *url.URL) Origin {
	if u == nil {
		return Origin{}
	}
	o := Origin{Scheme: u.Scheme, Host: u.Host, Port: strconv.Itoa(int(u.PortOrDefault()))}
	o.User = u.LoginName()
	return o
}

// A Keychain looks up credentials. Lookup returns ErrLogin if it has none.
type Keychain interface {
	Lookup(ctx context.Context, o Origin) (Credential, error)
}

// Credential returns the credential of req: its Login, or the user of its URL, or nil. If a user
// has no password, passwordSet is false: some servers accept the name alone. For a URL with Namer
// ByStranger it returns nil.
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
