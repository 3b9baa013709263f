package http_test

import (
	"context"
	"fmt"
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

func TestChallenges(t *testing.T) {
	for _, c := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"none", nil, ""},
		{"one", []string{`Basic realm="simple"`}, "basic realm=simple"},
		{"the example of RFC 9110", []string{`Basic realm="simple", Newauth realm="apps", type=1, title="Login to \"apps\""`},
			`basic realm=simple|newauth realm=apps title=Login to "apps" type=1`},
		{"several fields", []string{"Negotiate", "Basic realm=x"}, "negotiate|basic realm=x"},
		{"a scheme alone before another", []string{"Negotiate, Basic realm=x"}, "negotiate|basic realm=x"},
		{"one word in place of parameters", []string{"Negotiate YII=, Basic realm=x, NTLM TlRM/+=="}, "negotiate|basic realm=x|ntlm"},
		{"a comma and a scheme within quotes", []string{`Basic realm="a, Digest nonce=b"`}, "basic realm=a, Digest nonce=b"},
		{"white space around everything", []string{" ,, Basic \t realm = \"x\" ,, charset= UTF-8 , "}, "basic charset=UTF-8 realm=x"},
		{"the first of two counts", []string{"Basic realm=a, realm=b"}, "basic realm=a"},
		{"names in any case", []string{"BASIC Realm=A"}, "basic realm=A"},
		{"a quote without an end", []string{`Basic realm="abc`}, "basic realm=abc"},
		{"a backslash at the end", []string{`Basic realm="abc\`}, `basic realm=abc\`},
		{"an empty value", []string{"Basic realm="}, "basic"},
		{"a parameter of nothing", []string{"realm=x"}, "realm"},
		{"not a challenge", []string{`"Basic realm=x`, "@", "="}, ""},
		{"challenges after a syntax error are ignored", []string{"Basic realm=x, @, Digest nonce=y"}, "basic realm=x"},
	} {
		if got := http.Challenges(c.fields...); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzChallenges(f *testing.F) {
	f.Add(`Basic realm="a\"", Digest nonce=b, x = "", Negotiate abc==`)
	f.Fuzz(func(t *testing.T, field string) {
		if got := http.Challenges(field, field); len(got) > 4*len(field)+4 {
			t.Errorf("%d bytes of %d", len(got), len(field))
		}
	})
}

// The examples of RFC 7616, section 3.9, and of RFC 2069. That of section 3.9.2 is corrected: it
// has the values of SHA-512/256.
func TestDigestExamples(t *testing.T) {
	const (
		challenge = `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=%s, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"`
		cnonce    = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
	)
	for _, c := range []struct{ challenge, cnonce, user, password, uri, want string }{
		{fmt.Sprintf(challenge, "SHA-256"), cnonce, "Mufasa", "Circle of Life", "/dir/index.html",
			`response="753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"`},
		{fmt.Sprintf(challenge, "MD5"), cnonce, "Mufasa", "Circle of Life", "/dir/index.html",
			`response="8ca523f5e9506fed4657c9700eebdbec"`},
		{`Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", charset=UTF-8, userhash=true`,
			"NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v", "J\u00e4s\u00f8n Doe", "Secret, or not?", "/doe.json", `response="3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5"`},
		{`Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="n", userhash=true`, "c", "J\u00e4s\u00f8n Doe", "p", "/",
			`username="793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b"`},
		{`Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"0a4f113b", "Mufasa", "Circle Of Life", "/dir/index.html", `response="6629fae49393a05397450978507c4ef1"`},
		{`Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"`,
			"", "Mufasa", "CircleOfLife", "/dir/index.html", `response="1949323746fe6a43ef61f9606e7febea"`},
		{`Digest realm="r", nonce="n", qop=auth, charset=UTF-8`, "c", "J\u00e4s\u00f8n Doe", "p", "/", "username*=UTF-8''J%C3%A4s%C3%B8n%20Doe, "},
		{`Digest realm="a\"b\\c", nonce="n", qop=auth`, "c", `d"e\f`, "p", "/", `username="d\"e\\f", realm="a\"b\\c", uri="/"`},
	} {
		if got := http.DigestAnswer(c.challenge, c.cnonce, c.user, c.password, "GET", c.uri); !strings.Contains(got, c.want) {
			t.Errorf("%s\nis answered by\n%s\nwhich should say\n%s", c.challenge, got, c.want)
		}
	}
}

// A guarded is a server that accepts the login "u" and "p" by Basic, or by Digest with a nonce
// count that it has not seen. A nonce is valid for a number of uses. The server counts its
// requests.
type guarded struct {
	scheme   string
	uses     int
	mu       sync.Mutex
	nonce    int
	seen     map[string]bool
	requests atomic.Int64
}

func (g *guarded) ServeHTTP(w nethttp.ResponseWriter, r *nethttp.Request) {
	g.requests.Add(1)
	g.mu.Lock()
	defer g.mu.Unlock()
	field := r.Header.Get("Authorization")
	_, count, _ := strings.Cut(field, " nc=")
	switch user, password, _ := r.BasicAuth(); {
	case g.scheme == "Basic" && user == "u" && password == "p":
		return
	case g.scheme == "Digest" && strings.Contains(field, fmt.Sprintf("nonce=\"n%d\"", g.nonce)) && !g.seen[count]:
		if len(g.seen) < g.uses {
			g.seen[count] = true
			return
		}
		g.nonce++
		clear(g.seen)
	}
	w.Header().Add("WWW-Authenticate", fmt.Sprintf(`%s realm="r", nonce="n%d", qop="auth", stale=true`, g.scheme, g.nonce))
	w.WriteHeader(nethttp.StatusUnauthorized)
}

// A request with the same credentials for the same origin presents the login scheme that succeeded
// before, without a challenge.
func TestLoginIsRemembered(t *testing.T) {
	for _, scheme := range []string{"Basic", "Digest"} {
		t.Run(scheme, func(t *testing.T) {
			g := &guarded{scheme: scheme, uses: 1000, seen: make(map[string]bool)}
			server, other := httptest.NewServer(g), httptest.NewServer(g)
			defer server.Close()
			defer other.Close()
			f := new(http.Fetcher)
			defer f.CloseIdle()
			for _, c := range []struct {
				name     string
				base     string
				user     string
				ok       bool
				requests int64
			}{
				{"first a challenge", server.URL, "u:p@", true, 2},
				{"then the login at once", server.URL, "u:p@", true, 1},
				{"not for another user", server.URL, "v:p@", scheme == "Digest", 2},
				{"not without a user", server.URL, "", false, 1},
				{"not at another port", other.URL, "u:p@", true, 2},
				{"still at once", server.URL, "u:p@", true, 1},
			} {
				if c.user == "v:p@" && scheme == "Digest" {
					continue // this server checks the name in Basic only
				}
				g.requests.Store(0)
				_, _, err := read(t, f, &fetchers.Request{URL: parse(t, strings.Replace(c.base, "//", "//"+c.user, 1))})
				if n := g.requests.Load(); n != c.requests || (err == nil) != c.ok {
					t.Errorf("%s: %d requests and %v, want %d", c.name, n, err, c.requests)
				}
			}
		})
	}
}

// An expired nonce costs one request, and nonce counts are unique across goroutines.
func TestNonceIsRenewed(t *testing.T) {
	g := &guarded{scheme: "Digest", uses: 10, seen: make(map[string]bool)}
	server := httptest.NewServer(g)
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	fetch := func() {
		if _, _, err := read(t, f, &fetchers.Request{URL: parse(t, strings.Replace(server.URL, "//", "//u:p@", 1))}); err != nil {
			t.Error(err)
		}
	}
	for range 25 {
		fetch()
	}
	if n := g.requests.Load(); n != 25+3 {
		t.Errorf("%d requests for 25 fetches, want 28", n)
	}
	g.mu.Lock()
	g.uses = 1000
	g.mu.Unlock()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(fetch)
	}
	wg.Wait()
}

// The number of remembered accounts is bounded.
func TestLoginsAreBounded(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Authorization") == "" {
			w.Header().Set("WWW-Authenticate", "Basic realm=r")
			w.WriteHeader(nethttp.StatusUnauthorized)
		}
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	for i := range 300 {
		_, _, err := read(t, f, &fetchers.Request{
			URL: parse(t, server.URL), Login: &fetchers.Credential{User: fmt.Sprint(i), Password: "p"},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n := f.Known(); n != 256 {
		t.Errorf("%d accounts are remembered", n)
	}
}

// The Keychain of a Client receives the origin, realm and URL of the challenge.
func TestKeychainSeesChallenge(t *testing.T) {
	server := httptest.NewServer(&guarded{scheme: "Basic"})
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	chain := &oneKey{found: fetchers.Credential{User: "u", Password: "p", Source: "test"}}
	client := &fetchers.Client{Fetcher: f, Keychain: chain}
	if _, _, err := read(t, client, &fetchers.Request{URL: parse(t, server.URL)}); err != nil || chain.asked.Realm != "r" {
		t.Errorf("asked for %+v, error %v", chain.asked, err)
	}
}

type oneKey struct {
	found fetchers.Credential
	asked fetchers.Origin
}

func (k *oneKey) Lookup(_ context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	k.asked = o
	return k.found, nil
}

// A challenge whose body stalls is answered over another connection.
func TestChallengeStalls(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.Header.Get("Authorization") != "" {
			return
		}
		w.Header().Set("WWW-Authenticate", "Basic realm=r")
		w.Header().Set("Content-Length", "2")
		w.WriteHeader(nethttp.StatusUnauthorized)
		io.WriteString(w, "x")
		w.(nethttp.Flusher).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	f := new(http.Fetcher)
	defer f.CloseIdle()
	req := &fetchers.Request{URL: parse(t, server.URL), Login: &fetchers.Credential{User: "u", Password: "p"}}
	if _, _, err := read(t, f, req); err != nil {
		t.Error(err)
	}
}
