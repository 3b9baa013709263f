package http

import (
	"crypto/rand"
	nethttp "net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/internal/httpauth"
	"github.com/seed1ea3422f/fetch/url"
)

// A side is one of the two servers that may demand a login, with the status and header fields it
// uses.
type side struct {
	name      string
	status    int
	challenge string
	answer    string
}

var (
	atServer = &side{"server", nethttp.StatusUnauthorized, "WWW-Authenticate", "Authorization"}
	atProxy  = &side{"proxy", nethttp.StatusProxyAuthRequired, "Proxy-Authenticate", "Proxy-Authorization"}
)

// A login holds the credentials of one Fetch and the scheme to present them in. A nil login has
// none.
type login struct {
	account
	known    *logins
	schemes  []string // the allowed schemes
	nonce    func() string
	messages fetchers.NTLM
	trace    fetchers.Tracer

	mu       sync.Mutex      // a dial may outlive its Fetch, and another dial for the same Fetch may run at the same time
	scheme   httpauth.Scheme // the scheme in use; nil before the first challenge
	answered bool            // whether a challenge of this Fetch was answered
	renewed  bool            // whether a stale nonce, or an NTLM challenge on a new connection, was already answered
}

// login returns the login for req. Credentials are not sent before a challenge, except to an origin
// that demanded them earlier.
func (f *Fetcher) login(req *fetchers.Request, trace fetchers.Tracer) *login {
	who, set := req.Credential()
	if !set || req.Header.Get("Authorization") != "" {
		return nil // no credentials, or the caller sets the field
	}
	if strings.ContainsFunc(who.User+who.Password, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		trace.Note("a user or password with control characters is not presented") // RFC 7617, section 2
		return nil
	}
	l := &login{account: account{atServer, fetchers.OriginOf(req.URL), who.Password}, schemes: f.schemes(), trace: trace}
	l.User = who.User
	return f.addKnown(l)
}

// schemes returns the schemes that a challenge of a server may be answered with.
func (f *Fetcher) schemes() []string {
	switch {
	case f.Logins == nil:
		return []string{"digest", "basic"}
	case f.NTLM == nil || f.RoundTripper != nil || f.Protocols != nil && !f.Protocols.HTTP1(): // HTTP/2 shares its connections
		return without(f.Logins, "ntlm")
	}
	return f.Logins
}

func without(schemes []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(schemes), func(s string) bool { return s == one })
}

// proxyLogin returns the login for a proxy, or nil. Without ProxyLogins, Basic credentials are sent
// before any challenge.
func (f *Fetcher) proxyLogin(via *url.URL, trace fetchers.Tracer) *login {
	if via.User == nil {
		return nil
	}
	l := &login{account: account{atProxy, fetchers.OriginOf(via), via.User.Password}, schemes: f.ProxyLogins, trace: trace}
	l.User = via.User.Name
	f.addKnown(l)
	switch {
	case f.NTLM == nil && l.schemes != nil:
		l.schemes = without(l.schemes, "ntlm")
	case l.schemes == nil:
		l.schemes, l.scheme, l.answered = []string{"basic"}, httpauth.Basic{}, true
	}
	return l
}

// addKnown adds to l the scheme that succeeded at its origin earlier.
func (f *Fetcher) addKnown(l *login) *login {
	l.known, l.nonce, l.messages = &f.known, f.nonce, f.NTLM
	if l.nonce == nil {
		l.nonce = rand.Text
	}
	l.scheme = f.known.get(l.account)
	return l
}

// sign adds the login to h. target is the request target as it is sent.
func (l *login) sign(h nethttp.Header, method, target string) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.scheme == nil {
		return
	}
	if field := l.scheme.Answer(l.User, l.password, method, target); field != "" {
		h.Set(l.at.answer, field)
	}
}

// takeChallenge reports whether resp is a challenge that l can answer, and selects the scheme of the answer.
// Each Fetch answers one challenge, and a second one if the server refused the first only because
// its nonce was stale.
func (l *login) takeChallenge(resp *nethttp.Response) bool {
	if l == nil || l.at == atServer && resp.StatusCode == atProxy.status {
		return false // a 407 that is not from the proxy of this connection
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case resp.StatusCode != l.at.status:
		l.known.put(l.account, l.scheme)
		return false
	case l.scheme != nil && resp.Request.Header.Get(l.at.answer) == "" && !(l.renewed && l.scheme == httpauth.NTLM{}):
		l.renewed = l.renewed || l.scheme == httpauth.NTLM{}
		return true // the request was sent before another dial was challenged
	}
	offered := httpauth.Challenges(resp.Header.Values(l.at.challenge))
	next, c := httpauth.Strongest(offered, l.schemes, l.User, l.nonce)
	stale := c.Scheme == "digest" && strings.EqualFold(c.Params["stale"], "true")
	switch {
	case next == nil:
		l.trace.Note("none of the logins that the " + l.at.name + " offers can be used: " + names(offered))
	case stale && l.answered && !l.renewed:
		l.renewed = true
	case !l.answered && next != l.scheme: // else the login was refused
		l.answered = true
	default:
		next = nil
	}
	if next == nil {
		l.known.put(l.account, nil)
		return false
	}
	asked := strings.TrimSpace(c.Scheme + " " + c.Params["algorithm"])
	if realm, ok := c.Params["realm"]; ok {
		asked += " for " + httpauth.Quote(realm)
	}
	l.trace.Note("the " + l.at.name + " asks for a login: " + asked)
	l.scheme = next
	return true
}

// realm returns the realm of the server's first challenge that has one.
func realm(resp *nethttp.Response) string {
	for _, c := range httpauth.Challenges(resp.Header.Values("WWW-Authenticate")) {
		if r := c.Params["realm"]; r != "" {
			return r
		}
	}
	return ""
}

// An account identifies credentials at an origin. The origin may be a proxy and a server; at
// distinguishes the two.
type account struct {
	at *side
	fetchers.Origin
	password string
}

// maxLogins is how many accounts are remembered. Beyond it, a request may receive one more
// challenge.
const maxLogins = 256

// logins remembers the scheme of each account, so that the next request presents it without a
// challenge. If an origin has several realms, the most recent challenge counts.
type logins struct {
	mu    sync.Mutex
	known map[account]httpauth.Scheme
}

func (l *logins) get(a account) httpauth.Scheme {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[a]
}

// put remembers s for a. A nil s removes the entry.
func (l *logins) put(a account, s httpauth.Scheme) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s == nil {
		delete(l.known, a)
		return
	}
	if l.known == nil {
		l.known = make(map[account]httpauth.Scheme)
	}
	for other := range l.known {
		if len(l.known) < maxLogins {
			break
		}
		delete(l.known, other)
	}
	l.known[a] = s
}
