package http

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	nethttp "net/http"
	"slices"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A scheme is a way to answer a challenge, with what the challenge says.
// It is a *digest or a basic.
type scheme interface {
	answer(user, password, method, uri string) string
}

// basic answers a challenge of the scheme Basic (RFC 7617).
type basic struct{}

func (basic) answer(user, password, _, _ string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+password))
}

// A login is what one Fetch has to present, and how. A nil login has nothing.
type login struct {
	account
	known    *logins
	schemes  []string // those allowed
	nonce    func() string
	trace    *fetchers.Trace
	scheme   scheme // which is presented; nil until the server has asked
	answered bool   // a challenge of this Fetch, not one from before
	renewed  bool   // the server's nonce was stale
}

// login returns what there is to present for req. Nothing is sent before it is
// asked for, except to an origin that has asked before.
func (f *Fetcher) login(req *fetchers.Request, trace *fetchers.Trace) *login {
	who, set := req.Credential()
	if !set || req.Header.Get("Authorization") != "" {
		return nil // there is none, or the caller has one of another kind
	}
	if strings.ContainsFunc(who.User+who.Password, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		trace.Note("a user or password with control characters is not presented") // RFC 7617, section 2
		return nil
	}
	l := &login{account: account{fetchers.OriginOf(req.URL), who.Password}, known: &f.known, schemes: f.Logins, nonce: f.nonce, trace: trace}
	l.User = who.User
	if l.schemes == nil {
		l.schemes = []string{"digest", "basic"}
	}
	if l.nonce == nil {
		l.nonce = rand.Text
	}
	l.scheme = f.known.get(l.account)
	return l
}

type loginKey struct{}

func withLogin(ctx context.Context, l *login) context.Context {
	return context.WithValue(ctx, loginKey{}, l)
}

// loginOf returns the login that a request carries, which may be nil.
func loginOf(ctx context.Context) *login {
	l, _ := ctx.Value(loginKey{}).(*login)
	return l
}

// sign adds the login to a request.
func (l *login) sign(r *nethttp.Request) {
	if l != nil && l.scheme != nil {
		r.Header.Set("Authorization", l.scheme.answer(l.User, l.password, r.Method, r.URL.RequestURI()))
	}
}

// goOn reports whether resp is a challenge to be answered, and takes it up. Each
// Fetch answers one challenge, and a second one if the first was refused for no
// more than its age.
func (l *login) goOn(resp *nethttp.Response) bool {
	if l == nil {
		return false
	}
	if resp.StatusCode != nethttp.StatusUnauthorized {
		l.known.put(l.account, l.scheme)
		return false
	}
	offered := challenges(resp.Header.Values("WWW-Authenticate"))
	next, c := l.strongest(offered)
	stale := c.scheme == "digest" && strings.EqualFold(c.params["stale"], "true")
	_, again := next.(basic)
	_, before := l.scheme.(basic)
	switch {
	case next == nil:
		l.trace.Note("none of the logins that the server offers can be used: " + names(offered))
	case stale && l.answered && !l.renewed:
		l.renewed = true
	case !l.answered && !(before && again): // else it has just been refused
		l.answered = true
	default:
		next = nil
	}
	if next == nil {
		l.known.put(l.account, nil)
		return false
	}
	l.trace.Note("the server asks for a login: " + strings.TrimSpace(c.scheme+" "+c.params["algorithm"]) + " for " + quote(c.params["realm"]))
	l.scheme = next
	return true
}

// strongest returns how to answer the challenge that is hardest to overhear, and
// that challenge: Digest with SHA-256, with MD5, then Basic.
func (l *login) strongest(offered []challenge) (best scheme, from challenge) {
	most := 0
	for _, c := range offered {
		if !slices.Contains(l.schemes, c.scheme) {
			continue
		}
		var s scheme
		rank := 0
		switch c.scheme {
		case "digest":
			if d := newDigest(c, l.nonce); d != nil {
				s, rank = d, 2
				if strings.HasPrefix(d.algorithm(), "SHA") {
					rank = 3
				}
			}
		case "basic":
			if !strings.Contains(l.User, ":") { // it would end the name
				s, rank = basic{}, 1
			}
		}
		if rank > most {
			best, from, most = s, c, rank
		}
	}
	return best, from
}

func names(offered []challenge) string {
	var list []string
	for _, c := range offered {
		list = append(list, c.scheme)
	}
	return strings.Join(list, ", ")
}

// realm returns what the server calls what a login would be for.
func realm(resp *nethttp.Response) string {
	for _, c := range challenges(resp.Header.Values("WWW-Authenticate")) {
		if r := c.params["realm"]; r != "" {
			return r
		}
	}
	return ""
}

// An account is what a login is good for: these credentials at this origin.
type account struct {
	fetchers.Origin
	password string
}

// maxLogins is how many accounts are remembered. Who has more pays with a request.
const maxLogins = 256

// logins remembers how accounts logged in, so that the next request does so at
// once. Of several realms of an origin it is the last one that was asked for.
type logins struct {
	mu    sync.Mutex
	known map[account]scheme
}

func (l *logins) get(a account) scheme {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.known[a]
}

// put remembers s, or forgets what there was if s is nil.
func (l *logins) put(a account, s scheme) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s == nil {
		delete(l.known, a)
		return
	}
	if l.known == nil {
		l.known = make(map[account]scheme)
	}
	for other := range l.known {
		if len(l.known) < maxLogins {
			break
		}
		delete(l.known, other)
	}
	l.known[a] = s
}
