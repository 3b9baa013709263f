package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A site is a Fetcher that redirects some URLs, compared without user and fragment, and returns a
// document for all others. It records the requests.
type site struct {
	to       map[string]string
	leads    map[string]func(scheme string) bool // Leads of the redirections of a scheme
	upgrade  bool
	upgrades map[string]bool // the redirections that are Upgrades, unless all are
	asked    []fetchers.Request
	closed   int
}

func (s *site) Fetch(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	s.asked = append(s.asked, *req)
	plain := *req.URL
	plain.User, plain.Fragment = nil, ""
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document}
	if to, ok := s.to[plain.String()]; ok {
		res.Kind, res.Leads, res.Upgrade = fetchers.Redirect, s.leads[req.URL.Scheme], s.upgrade || s.upgrades[plain.String()]
		res.Location, _ = url.Parse(to)
	}
	res.SetBody(closer{s})
	return res, nil
}

type closer struct{ s *site }

func (c closer) Read([]byte) (int, error) { return 0, errors.New("not to be read") }
func (c closer) Close() error             { c.s.closed++; return nil }

// get fetches a URL with a Client, and returns the requested URLs.
func (s *site) get(t *testing.T, text string) (*fetchers.Resource, []string, error) {
	t.Helper()
	res, err := (&fetchers.Client{Fetcher: s}).Get(t.Context(), text)
	t.Cleanup(func() { res.Close() })
	var asked []string
	for _, req := range s.asked {
		asked = append(asked, req.URL.String())
	}
	return res, asked, err
}

func TestRedirections(t *testing.T) {
	leads := map[string]func(string) bool{
		"prospero": func(scheme string) bool {
			return slices.Contains([]string{"prospero", "gopher", "wais", "news", "telnet", "tn3270", "file"}, scheme)
		},
		"gopher": fetchers.Anywhere, "gophers": fetchers.Anywhere, "urn": fetchers.Anywhere,
	}
	for _, c := range []struct {
		name string
		path []string // each redirects to the next
		ok   bool     // false if the last redirection is refused
	}{
		{"from http to https", []string{"http://h.example/", "https://h.example/"}, true},
		{"from http to ftp", []string{"http://h.example/", "ftp://h.example/"}, true},
		{"from http to gopher", []string{"http://h.example/", "gopher://h.example/"}, false},
		{"from http to an unknown scheme", []string{"http://h.example/", "x-odd:y"}, false},
		{"U-3.10-13 from http to a file", []string{"http://h.example/", "file:///etc/passwd"}, false},
		{"from ftp to the directory", []string{"ftp://h.example/pub", "ftp://h.example/pub/"}, true},
		{"from prospero to wais", []string{"prospero://h.example/x", "wais://h.example/db"}, true},
		{"from prospero to gopher", []string{"prospero://h.example/x", "gopher://h.example/"}, true},
		{"from prospero to news", []string{"prospero://h.example/x", "news:comp.lang.go"}, true},
		{"from prospero to a file", []string{"prospero://h.example/x", "file:///etc/passwd"}, false},
		{"from prospero to telnet", []string{"prospero://h.example/x", "telnet://h.example/"}, true},
		{"from prospero to tn3270", []string{"prospero://h.example/x", "tn3270://h.example/"}, true},
		{"from prospero to rlogin", []string{"prospero://h.example/x", "rlogin://h.example/"}, false},
		{"from prospero to another server", []string{"prospero://h.example/x", "prospero://h2.example/y"}, true},
		{"from http to prospero", []string{"http://h.example/", "prospero://h.example/x"}, false},
		{"from gopher to telnet", []string{"gopher://h.example/8", "telnet://h.example/"}, true},
		{"from gophers to gopher", []string{"gophers://h.example/h", "gopher://h.example/"}, true},
		{"from gopher to mailto", []string{"gopher://h.example/h", "mailto:a@h.example"}, true},
		{"from gopher to a file", []string{"gopher://h.example/h", "file:///etc/passwd"}, false},
		{"from a urn to wais", []string{"urn:x-a:b", "wais://h.example/db"}, true},
		{"from a urn to a file", []string{"urn:x-a:b", "file:///etc/passwd"}, false},
		{"Leads of prospero do not apply to http", []string{"prospero://h.example/x", "http://h.example/", "gopher://h.example/"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &site{to: make(map[string]string), leads: leads}
			for i, from := range c.path[1:] {
				s.to[c.path[i]] = from
			}
			res, asked, err := s.get(t, c.path[0])
			if c.ok {
				if err != nil || !slices.Equal(asked, c.path) || res.URL.String() != asked[len(asked)-1] {
					t.Errorf("asked %q, then %v", asked, err)
				}
				return
			}
			if !errors.Is(err, fetchers.ErrRedirect) || !strings.Contains(err.Error(), c.path[len(c.path)-1]) {
				t.Errorf("error = %v, want one that is ErrRedirect and names the target", err)
			}
			if !slices.Equal(asked, c.path[:len(c.path)-1]) || s.closed != len(asked) {
				t.Errorf("asked %q and closed %d", asked, s.closed)
			}
		})
	}
}

// An Upgrade to TLS does not count as a redirection, and is followed even with NoFollow.
func TestUpgradeIsNoRedirection(t *testing.T) {
	s := &site{to: map[string]string{
		"http://h.example/a":  "https://h.example/a",
		"https://h.example/a": "http://h.example/b",
		"http://h.example/b":  "https://h.example/b",
	}, upgrades: map[string]bool{"http://h.example/a": true, "http://h.example/b": true}}
	client := &fetchers.Client{Fetcher: s, Follow: fetchers.FollowUpTo(1)}
	res, err := client.Get(t.Context(), "http://h.example/a")
	if err != nil || res.Kind != fetchers.Document || res.URL.String() != "https://h.example/b" {
		t.Fatalf("one redirection and two upgrades: %v", err)
	}
	u, _ := url.Parse("http://h.example/a")
	res, err = client.Fetch(t.Context(), &fetchers.Request{URL: u, NoFollow: true})
	if err != nil || res.Kind != fetchers.Redirect || res.URL.String() != "https://h.example/a" || res.Location.String() != "http://h.example/b" {
		t.Fatalf("an upgrade, and a redirection that is kept: %v", err)
	}
}

func TestRedirectionLimit(t *testing.T) {
	s := &site{to: make(map[string]string)}
	for i := range 11 {
		s.to[fmt.Sprintf("http://h.example/%d", i)] = fmt.Sprintf("http://h.example/%d", i+1)
	}
	if _, asked, err := s.get(t, "http://h.example/1"); err != nil || len(asked) != 11 {
		t.Errorf("ten redirections: %v after %d", err, len(asked))
	}
	s.asked = nil
	if _, asked, err := s.get(t, "http://h.example/0"); !errors.Is(err, fetchers.ErrRedirect) || len(asked) != 11 {
		t.Errorf("eleven redirections: %v after %d", err, len(asked))
	}
}

// A program may allow redirections to further schemes from any server.
func TestFollowToMoreSchemes(t *testing.T) {
	s := &site{to: map[string]string{
		"http://h.example/":     "spartan://h.example/",
		"http://h.example/f":    "file:///etc/motd",
		"spartan://h.example/":  "x-other://h.example/",
		"spartan://h.example/a": "http://h.example/a",
	}}
	client := &fetchers.Client{Fetcher: s, Follow: fetchers.FollowUpTo(5, "spartan", "file")}
	for from, to := range map[string]string{
		"http://h.example/":     "", // spartan redirects to x-other
		"http://h.example/f":    "",
		"spartan://h.example/a": "http://h.example/a",
	} {
		res, err := client.Get(t.Context(), from)
		if to == "" {
			if !errors.Is(err, fetchers.ErrRedirect) {
				t.Errorf("%s: %v, want ErrRedirect", from, err)
			}
		} else if err != nil || res.URL.String() != to {
			t.Errorf("%s: %v, want %s", from, err, to)
		}
	}
	if s.closed != 4 || len(s.asked) != 5 {
		t.Errorf("%d URLs were asked, and %d closed", len(s.asked), s.closed)
	}
}

// Get parses a URL by the Syntax of the Client.
func TestSyntaxOfTheClient(t *testing.T) {
	syntax, err := url.NewSyntax(url.Scheme{Name: "spartan", Names: "a page on a Spartan server", Port: 300, Authority: url.Required})
	if err != nil {
		t.Fatal(err)
	}
	s := new(site)
	client := &fetchers.Client{Fetcher: s, Syntax: syntax}
	if res, err := client.Get(t.Context(), "spartan://h.example"); err != nil || res.URL.Addr() != "h.example:300" {
		t.Errorf("%v", err)
	}
	if _, err := client.Get(t.Context(), "spartan://me@h.example"); err == nil || len(s.asked) != 1 {
		t.Errorf("a user where there is none: %v", err)
	}
}

// The ports of a Syntax's schemes count as ports of other protocols, too.
func TestPortsOfASyntax(t *testing.T) {
	syntax, err := url.NewSyntax(url.Scheme{Name: "x-mail", Names: "a message", Port: 25, Ports: []uint16{587}, Authority: url.Required},
		url.Scheme{Name: "x-one", Names: "a thing", Port: 79, FixedPort: true, Authority: url.Required})
	if err != nil {
		t.Fatal(err)
	}
	for text, allowed := range map[string]bool{
		"x-mail://h": true, "x-mail://h:25": true, "x-mail://h:587": true, "x-mail://h:2525": true, "x-mail://h:21": false,
		"x-one://h:79": true, "x-one://h:8079": false, "x-other://h:25": false,
	} {
		u, err := syntax.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := new(fetchers.Registry).CheckPort(u); (err == nil) != allowed {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A URL of a scheme of the Syntax is parsed by the rules of the Syntax, even if it comes from a
// server of another protocol or from a caller without the Syntax: it has the default port of the
// scheme, no other if that is fixed, and no user.
func TestSyntaxOfARedirection(t *testing.T) {
	syntax, err := url.NewSyntax(url.Scheme{Name: "x-one", Names: "a thing", Port: 79, FixedPort: true, Authority: url.Required})
	if err != nil {
		t.Fatal(err)
	}
	s := &site{to: map[string]string{
		"http://h.example/1": "x-one://h.example/1",
		"http://h.example/2": "x-one://h.example:8079/2",
		"http://h.example/3": "x-one://me@h.example/3",
		"http://h.example/4": "x-one:/4",
	}}
	var registry fetchers.Registry
	registry.Register(s, "http", "x-one")
	client := &fetchers.Client{Fetcher: &registry, Syntax: syntax, Follow: fetchers.FollowUpTo(5, "x-one")}
	for text, class := range map[string]error{
		"http://h.example/1":       nil,
		"http://h.example/2":       fetchers.ErrBlocked,
		"http://h.example/3":       url.ErrMalformed,
		"http://h.example/4":       url.ErrMalformed,
		"x-one://h.example/1":      nil,
		"x-one://h.example:8079/2": fetchers.ErrBlocked,
		"x-one://me@h.example/3":   url.ErrMalformed,
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.asked, s.closed = nil, 0
		res, err := client.Fetch(t.Context(), &fetchers.Request{URL: u})
		if !errors.Is(err, class) || class == nil && (err != nil || res.URL.Addr() != "h.example:79") {
			t.Errorf("%s: %v, %v; want %v", text, res, err, class)
		}
		if err == nil {
			res.Close()
		}
		if len(s.asked) != s.closed {
			t.Errorf("%s: %d Resources, and %d were closed", text, len(s.asked), s.closed)
		}
	}
}

func TestKeptRedirection(t *testing.T) {
	s := &site{to: map[string]string{"http://h.example/a": "http://h.example/b"}}
	var seen []string
	c := &fetchers.Client{Fetcher: s, Follow: func(_ context.Context, via []*url.URL, res *fetchers.Resource) error {
		for _, u := range append(via, res.Location) {
			seen = append(seen, u.String())
		}
		return fmt.Errorf("thank you: %w", fetchers.ErrKeepRedirect)
	}}
	res, err := c.Get(t.Context(), "http://h.example/a")
	if err != nil || res.Kind != fetchers.Redirect || res.Location.String() != "http://h.example/b" || s.closed != 0 {
		t.Fatalf("%+v, %v, closed %d", res, err, s.closed)
	}
	if want := []string{"http://h.example/a", "http://h.example/b"}; !slices.Equal(seen, want) {
		t.Errorf("Follow saw %q, want %q", seen, want)
	}
	res.Close()
}

// TestOrigins checks which secrets are sent to another URL.
func TestOrigins(t *testing.T) {
	const from = "http://me:secret@h.example/a#part"
	for _, c := range []struct {
		name, to, want string
		kept           bool
	}{
		{"another path keeps all", "http://h.example/b", "http://me:secret@h.example/b#part", true},
		{"the default port is the same port", "http://h.example:80/b", "http://me:secret@h.example:80/b#part", true},
		{"another scheme drops them", "https://h.example/b", "https://h.example/b#part", false},
		{"unless it is an upgrade", "https://h.example/b", "https://me:secret@h.example/b#part", true},
		{"but not an upgrade to another host", "https://sub.h.example/b", "https://sub.h.example/b#part", false},
		{"another host drops them", "http://sub.h.example/b", "http://sub.h.example/b#part", false},
		{"another port drops them", "http://h.example:8080/b", "http://h.example:8080/b#part", false},
		{"a user from a server is not used", "http://you:theirs@h.example/b", "http://me:secret@h.example/b#part", true},
		{"nor for another host", "http://you:theirs@i.example/b", "http://i.example/b#part", false},
		{"a fragment of its own is kept", "http://h.example/b#other", "http://me:secret@h.example/b#other", true},
		{"also an empty one", "http://h.example/b#", "http://me:secret@h.example/b#", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &site{to: map[string]string{"http://h.example/a": c.to}, upgrade: strings.Contains(c.name, "upgrade")}
			req := &fetchers.Request{
				URL:      parse(t, from),
				Login:    &fetchers.Credential{User: "me", Password: "secret"},
				Header:   textproto.MIMEHeader{"Cookie": {"x"}},
				Range:    fetchers.Range{Offset: 3},
				Describe: true,
			}
			before := *req
			var traced string
			ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Follow: func(_ context.Context, from, to *url.URL) {
				traced = from.Redacted() + " " + to.Redacted()
			}})
			res, err := (&fetchers.Client{Fetcher: s}).Fetch(ctx, req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Close()
			got := s.asked[1]
			if got.URL.String() != c.want {
				t.Errorf("asked %s, want %s", got.URL, c.want)
			}
			if (got.Login != nil) != c.kept || (got.Header != nil) != c.kept {
				t.Errorf("Login = %v and Header = %v, want both kept: %v", got.Login, got.Header, c.kept)
			}
			if got.Range != req.Range || !got.Describe {
				t.Error("Range and Describe were lost")
			}
			if !reflect.DeepEqual(*req, before) || req.URL.String() != from {
				t.Error("the caller's Request was changed")
			}
			if want := req.URL.Redacted() + " " + got.URL.Redacted(); traced != want {
				t.Errorf("traced %s", traced)
			}
		})
	}
}

// TestTrusting checks that a Trusting Client sends the secrets of the first origin to the targets
// of redirections, whose Namer is still ByServer, but not after a URL with Namer ByStranger.
func TestTrusting(t *testing.T) {
	for named, want := range map[fetchers.Namer]string{fetchers.ByUser: "http://me:secret@i.example/", fetchers.ByStranger: "http://i.example/"} {
		s := &site{to: map[string]string{"http://h.example/a": "http://you:theirs@i.example/"}}
		req := &fetchers.Request{
			URL: parse(t, "http://me:secret@h.example/a"), Named: named,
			Login:  &fetchers.Credential{User: "me", Password: "secret"},
			Header: textproto.MIMEHeader{"Cookie": {"x"}},
		}
		res, err := (&fetchers.Client{Fetcher: s, Trusting: true}).Fetch(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		res.Close()
		got, byUser := s.asked[1], named == fetchers.ByUser
		if got.URL.String() != want || (got.Login != nil) != byUser || (got.Header != nil) != byUser || got.Named == fetchers.ByUser {
			t.Errorf("asked %s with %v and %v, named %d", got.URL, got.Login, got.Header, got.Named)
		}
	}
}

// TestTrustingOnlyTheRequest checks that a Trusting Client shares only the secrets of the Request:
// a login of the Keychain is for the origin that demanded it, and a Host field for the host of the
// first request.
func TestTrustingOnlyTheRequest(t *testing.T) {
	for name, c := range map[string]struct {
		login *fetchers.Credential
		want  string // passwords and Host fields, by server
	}{
		"a login of the Keychain":                  {nil, "h::www h:found:www h:found:www i:: i:found: h::www"},
		"a refused login, and one of the Keychain": {&fetchers.Credential{User: "me", Password: "given"}, "h:given:www h:found:www h:found:www i:given: h:given:www"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{to: map[string]string{"http://h.example/": "http://h.example/again", "http://h.example/again": "http://i.example/", "http://i.example/": "http://h.example/end"}}
			var came []string
			client := &fetchers.Client{Trusting: true, Keychain: &keychain{found: fetchers.Credential{User: "me", Password: "found"}}, Fetcher: fetchers.FetcherFunc(
				func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					password := ""
					if req.Login != nil {
						password = req.Login.Password
					}
					came = append(came, strings.TrimSuffix(req.URL.Host, ".example")+":"+password+":"+req.Header.Get("Host"))
					if wrong := password == "given" && req.URL.Path == "/" && req.URL.Host == "h.example"; req.URL.Path != "/end" && (req.Login == nil || wrong) {
						return nil, fetchers.NewError("login", req.URL, fetchers.ErrLogin)
					}
					return s.Fetch(ctx, req)
				})}
			res, err := client.Fetch(t.Context(), &fetchers.Request{
				URL: parse(t, "http://h.example/"), Login: c.login, Header: textproto.MIMEHeader{"Host": {"www"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			res.Close()
			if got := strings.Join(came, " "); got != c.want {
				t.Errorf("the servers saw %s; want %s", got, c.want)
			}
		})
	}
}

func TestGetMalformed(t *testing.T) {
	_, err := (&fetchers.Client{}).Get(t.Context(), "http://me:secret@h.example:x/")
	var malformed *url.Error
	if !errors.As(err, &malformed) || !strings.HasPrefix(err.Error(), "parse http://me:***@h.example:x/: malformed URL: bad port") {
		t.Errorf("error = %v", err)
	}
}

// A keychain has one credential, or an error.
type keychain struct {
	found fetchers.Credential
	err   error
	asked []fetchers.Origin
}

func (k *keychain) Lookup(_ context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	k.asked = append(k.asked, o)
	return k.found, k.err
}

func TestLogin(t *testing.T) {
	refused := &fetchers.StatusError{Reply: fetchers.Reply{Code: 530, Text: "who are you?"}, Class: fetchers.ErrLogin}
	broken := errors.New("netrc: bad line")
	for _, c := range []struct {
		name     string
		keychain *keychain
		password string // that the server accepts
		want     error
		tries    int
	}{
		{"without a keychain the refusal stays", nil, "right", refused, 1},
		{"a login of the Keychain is presented", &keychain{found: fetchers.Credential{User: "me", Password: "right", Source: "netrc"}}, "right", nil, 2},
		{"a keychain is asked only once", &keychain{found: fetchers.Credential{User: "me", Password: "wrong", Source: "netrc"}}, "right", refused, 2},
		{"if it has none the refusal stays", &keychain{err: fmt.Errorf("nothing: %w", fetchers.ErrLogin)}, "right", refused, 1},
		{"if it fails that is the error", &keychain{err: broken}, "right", broken, 1},
		{"without a challenge the Keychain is not used", &keychain{err: broken}, "", nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			tries := 0
			client := &fetchers.Client{Retry: fetchers.Retry{Max: 5}, Fetcher: fetchers.FetcherFunc(
				func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
					tries++
					presented, _ := req.Credential()
					if c.password != "" && (presented == nil || presented.Password != c.password) {
						return nil, fetchers.NewError("login", req.URL, refused)
					}
					return document(ctx, req)
				})}
			if c.keychain != nil {
				client.Keychain = c.keychain
			}
			var traced []string
			ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Login: func(_ context.Context, o fetchers.Origin, source string) {
				traced = append(traced, o.Host+" "+source)
			}})
			res, err := client.Fetch(ctx, &fetchers.Request{URL: parse(t, "ftp://someone@h.example/x")})
			if err == nil {
				res.Close()
			}
			if !errors.Is(err, c.want) || tries != c.tries {
				t.Errorf("%v after %d tries, want %v after %d", err, tries, c.want, c.tries)
			}
			var e *fetchers.Error
			if err != nil && !errors.As(err, &e) {
				t.Errorf("error is a %T", err)
			}
			if c.keychain == nil || c.password == "" {
				return
			}
			want := fetchers.Origin{Scheme: "ftp", Host: "h.example", Port: "21", User: "someone"}
			if !slices.Equal(c.keychain.asked, []fetchers.Origin{want}) {
				t.Errorf("asked for %+v, want %+v once", c.keychain.asked, want)
			}
			if told := slices.Equal(traced, []string{"h.example netrc"}); told != (c.keychain.err == nil) {
				t.Errorf("traced %q", traced)
			}
		})
	}
}

// TestLoginNoFail checks that the body of a refusal is returned only if the Keychain has no login,
// or the server refuses the login too.
func TestLoginNoFail(t *testing.T) {
	right, wrong := fetchers.Credential{User: "me", Password: "right"}, fetchers.Credential{User: "me", Password: "wrong"}
	broken := errors.New("netrc: bad line")
	for name, c := range map[string]struct {
		keychain keychain
		pages    int // refusals with a body
		body     string
		err      error
	}{
		"the login is found":     {keychain{found: right}, 1, "content", nil},
		"the login is refused":   {keychain{found: wrong}, 2, "page", nil},
		"there is no login":      {keychain{err: fetchers.ErrLogin}, 1, "page", nil},
		"the keychain is faulty": {keychain{err: broken}, 1, "", broken},
	} {
		t.Run(name, func(t *testing.T) {
			var pages []*answerBody
			client := &fetchers.Client{Keychain: &c.keychain, Fetcher: fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1}
				if req.Login != nil && req.Login.Password == "right" {
					res.SetBody(io.NopCloser(strings.NewReader("content")))
					return res, nil
				}
				pages = append(pages, &answerBody{Reader: strings.NewReader("page")})
				res.Refusal = &fetchers.StatusError{Reply: fetchers.Reply{Code: 401}, Class: fetchers.ErrLogin, Realm: "r"}
				res.SetBody(pages[len(pages)-1])
				return res, nil
			})}
			res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/"), NoFail: true})
			if !errors.Is(err, c.err) || len(pages) != c.pages || len(c.keychain.asked) != 1 || c.keychain.asked[0].Realm != "r" {
				t.Fatalf("%v after %d pages, asked for %+v", err, len(pages), c.keychain.asked)
			}
			if err == nil {
				if body, err := io.ReadAll(res.Body); err != nil || string(body) != c.body {
					t.Errorf("%q, %v; want %q", body, err, c.body)
				}
				res.Close()
			}
			for _, page := range pages {
				if !page.closed {
					t.Error("a page is not closed")
				}
			}
		})
	}
}

// TestLoginNoFailOfStranger checks that the Keychain is not used for a URL with Namer ByStranger,
// nor after its redirections, even if a refusal has a body.
func TestLoginNoFailOfStranger(t *testing.T) {
	k := &keychain{found: fetchers.Credential{User: "me", Password: "right"}}
	s := &site{to: map[string]string{"http://h.example/": "http://i.example/"}}
	client := &fetchers.Client{Keychain: k, Trusting: true, Fetcher: fetchers.FetcherFunc(
		func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			res, err := s.Fetch(ctx, req)
			if res.Kind != fetchers.Redirect {
				res.Refusal = &fetchers.StatusError{Reply: fetchers.Reply{Code: 401}, Class: fetchers.ErrLogin}
			}
			return res, err
		})}
	res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://me:right@h.example/"), Named: fetchers.ByStranger, NoFail: true})
	if err != nil || res.Refusal == nil || len(k.asked) != 0 || len(s.asked) != 2 || s.asked[1].URL.User != nil {
		t.Errorf("%v, %v, asked for %+v", res, err, k.asked)
	}
	res.Close()
}

// TestLoginAgain checks that a login at one origin does not prevent a lookup for the next.
func TestLoginAgain(t *testing.T) {
	k := &keychain{found: fetchers.Credential{User: "me", Password: "right"}}
	s := &site{to: map[string]string{"http://h.example/": "http://i.example/"}}
	client := &fetchers.Client{Keychain: k, Fetcher: fetchers.FetcherFunc(
		func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
			if req.Login == nil {
				return nil, fetchers.NewError("login", req.URL, fetchers.ErrLogin)
			}
			return s.Fetch(ctx, req)
		})}
	res, err := client.Get(t.Context(), "http://h.example/")
	if err != nil || len(k.asked) != 2 || k.asked[0].Host != "h.example" || k.asked[1].Host != "i.example" {
		t.Errorf("%v, asked for %+v", err, k.asked)
	}
	res.Close()
}
