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

// A side is who asks for a login, and the fields in which that is done.
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

// A login is what one Fetch has to present, and how. A nil login has nothing.
type login struct {
	account
	known    *logins
	schemes  []string // those allowed
	nonce    func() string
	messages fetchers.NTLM
	trace    fetchers.Tracer

	mu       sync.Mutex      // one Fetch may dial a proxy twice: a dial goes on when it is no longer waited for
	scheme   httpauth.Scheme // which is presented; nil until the server has asked
	answered bool            // a challenge of this Fetch, not one from before
	renewed  bool            // the server's nonce was stale, or a connection was asked for NTLM that had not begun it
}

// login returns what there is to present for req. Nothing is sent before it is
// asked for, except to an origin that has asked before.
func (f *Fetcher) login(req *fetchers.Request, trace fetchers.Tracer) *login {
	who, set := req.Credential()
	if !set || req.Header.Get("Authorization") != "" {
		return nil // there is none, or the caller has one of another kind
	}
	if strings.ContainsFunc(who.User+who.Password, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		trace.Note("a user or password with control characters is not presented") // RFC 7617, section 2
		return nil
	}
	l := &login{account: account{atServer, fetchers.OriginOf(req.URL), who.Password}, schemes: f.schemes(), trace: trace}
	l.User = who.User
	return f.knowing(l)
}

// schemes returns the schemes that may be answered to a server.
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

// proxyLogin returns what there is to present to a proxy, or nil. Unless it is said how,
// that is sent without being asked for.
func (f *Fetcher) proxyLogin(via *url.URL, trace fetchers.Tracer) *login {
	if via.User == nil {
		return nil
	}
	l := &login{account: account{atProxy, fetchers.OriginOf(via), via.User.Password}, schemes: f.ProxyLogins, trace: trace}
	l.User = via.User.Name
	f.knowing(l)
	switch {
	case f.NTLM == nil && l.schemes != nil:
		l.schemes = without(l.schemes, "ntlm")
	case l.schemes == nil:
		l.schemes, l.scheme, l.answered = []string{"basic"}, httpauth.Basic{}, true
	}
	return l
}

// knowing returns l with what is known from before.
func (f *Fetcher) knowing(l *login) *login {
	l.known, l.nonce, l.messages = &f.known, f.nonce, f.NTLM
	if l.nonce == nil {
		l.nonce = rand.Text
	}
	l.scheme = f.known.get(l.account)
	return l
}

// sign adds the login to a request, for a target as it is sent.
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

// goOn reports whether resp is a challenge to be answered, and takes it up. Each
// Fetch answers one challenge, and a second one if the first was refused for no
// more than its age.
func (l *login) goOn(resp *nethttp.Response) bool {
	if l == nil || l.at == atServer && resp.StatusCode == atProxy.status {
		return false // nobody has looked at it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case resp.StatusCode != l.at.status:
		l.known.put(l.account, l.scheme)
		return false
	case l.scheme != nil && resp.Request.Header.Get(l.at.answer) == "" && !(l.renewed && l.scheme == httpauth.NTLM{}):
		l.renewed = l.renewed || l.scheme == httpauth.NTLM{}
		return true // it was sent before another dial was challenged
	}
	offered := httpauth.Challenges(resp.Header.Values(l.at.challenge))
	next, c := httpauth.Strongest(offered, l.schemes, l.User, l.nonce)
	stale := c.Scheme == "digest" && strings.EqualFold(c.Params["stale"], "true")
	switch {
	case next == nil:
		l.trace.Note("none of the logins that the " + l.at.name + " offers can be used: " + names(offered))
	case stale && l.answered && !l.renewed:
		l.renewed = true
	case !l.answered && next != l.scheme: // else it has just been refused
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

// realm returns what the server calls what a login would be for.
func realm(resp *nethttp.Response) string {
	for _, c := range httpauth.Challenges(resp.Header.Values("WWW-Authenticate")) {
		if r := c.Params["realm"]; r != "" {
			return r
		}
	}
	return ""
}

// An account is what a login is good for: these credentials at this origin, which may be that of
// a proxy and of a server.
type account struct {
	at *side
	fetchers.Origin
	password string
}

// maxLogins is how many accounts are remembered. Who has more pays with a request.
const maxLogins = 256

// logins remembers how accounts logged in, so that the next request does so at
// once. Of several realms of an origin it is the last one that was asked for.
type logins struct {
	mu    sync.Mutex
	known map[account]httpauth.Scheme
}

func (l *logins) get(a account) httpauth.Scheme {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[a]
}

// put remembers s, or forgets what there was if s is nil.
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
