package fetchers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestFromStranger checks which fields of a Request remain for a URL with Namer ByStranger.
func TestFromStranger(t *testing.T) {
	req := &fetchers.Request{
		URL:   parse(t, "http://me:secret@h.example/a"),
		Login: &fetchers.Credential{User: "me", Password: "secret"},
		Range: fetchers.Range{Offset: 3},
		Header: textproto.MIMEHeader{
			"Authorization": {"Bearer x"}, "Cookie": {"a=b"}, "X-Token": {"x"}, "Referer": {"http://inside.example/"},
			"User-Agent": {"me"}, "Want-Repr-Digest": {"sha-256=1"},
		},
	}
	before := *req
	got := req.FromStranger()
	want := textproto.MIMEHeader{"User-Agent": {"me"}, "Want-Repr-Digest": {"sha-256=1"}}
	if got.Named != fetchers.ByStranger || got.Login != nil || got.URL.String() != "http://h.example/a" || !reflect.DeepEqual(got.Header, want) || got.Range != req.Range {
		t.Errorf("%+v of %s", got, got.URL)
	}
	if !reflect.DeepEqual(*req, before) || req.URL.String() != "http://me:secret@h.example/a" {
		t.Error("the caller's Request was changed")
	}
}

// TestAt checks which fields At keeps.
func TestAt(t *testing.T) {
	req := &fetchers.Request{URL: parse(t, "http://h.example/a"), Login: new(fetchers.Credential), Header: textproto.MIMEHeader{"Cookie": {"a=b"}}, Compress: true}
	for to, named := range map[string]fetchers.Namer{"http://h.example/b": fetchers.ByUser, "http://h.example:8080/b": fetchers.ByServer, "http://i.example/a": fetchers.ByServer} {
		got, kept := req.At(parse(t, to)), named == fetchers.ByUser
		if got.URL.String() != to || got.Named != named || (got.Login != nil) != kept || (got.Header != nil) != kept || !got.Compress {
			t.Errorf("%s: %+v", to, got)
		}
	}
	if named := req.FromStranger().At(req.URL).Named; named != fetchers.ByStranger {
		t.Errorf("named by %d", named)
	}
}

// TestNamed checks the Namer of each URL after redirections, and the lookups of a Keychain.
func TestNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		path  []string // each redirects to the next
		first fetchers.Namer
		named []fetchers.Namer
		asked string // lookup for the last URL: "", "redirected" or "usual"
	}{
		{"by the user", []string{"https://h.example/"}, fetchers.ByUser, nil, "usual"},
		{"another path", []string{"https://h.example/", "https://h.example/x"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByUser}, "usual"},
		{"another host", []string{"https://h.example/", "https://i.example/"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByServer}, "redirected"},
		{"another port", []string{"https://h.example/", "https://h.example:8443/"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByServer}, "redirected"},
		{"another scheme", []string{"http://h.example/", "https://h.example/"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByServer}, "redirected"},
		{"on from there", []string{"https://h.example/", "https://i.example/", "https://i.example/x"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByServer, fetchers.ByServer}, "redirected"},
		{"and back", []string{"https://h.example/", "https://i.example/", "https://h.example/x"}, fetchers.ByUser, []fetchers.Namer{fetchers.ByServer, fetchers.ByUser}, "usual"},
		{"by a server", []string{"https://h.example/"}, fetchers.ByServer, nil, "redirected"},
		{"by a stranger", []string{"https://h.example/"}, fetchers.ByStranger, nil, ""},
		{"by a stranger, another path", []string{"https://h.example/", "https://h.example/x"}, fetchers.ByStranger, []fetchers.Namer{fetchers.ByStranger}, ""},
		{"by a stranger, another host", []string{"https://h.example/", "https://i.example/"}, fetchers.ByStranger, []fetchers.Namer{fetchers.ByStranger}, ""},
		{"by a stranger, and back", []string{"https://h.example/", "https://i.example/", "https://h.example/x"}, fetchers.ByStranger, []fetchers.Namer{fetchers.ByStranger, fetchers.ByStranger}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &site{to: make(map[string]string)}
			for i, to := range c.path[1:] {
				s.to[c.path[i]] = to
			}
			last := c.path[len(c.path)-1]
			k := &keychain{err: fetchers.ErrLogin}
			client := &fetchers.Client{Keychain: k, Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
				if req.Login != nil || req.URL.User != nil || req.Header["Cookie"] != nil {
					if req.Named != fetchers.ByUser {
						t.Errorf("%s gets a secret", req.URL)
					}
				}
				if req.URL.SameOrigin(parse(t, last)) && req.URL.Path == parse(t, last).Path {
					s.asked = append(s.asked, *req)
					return nil, fetchers.NewError("login", req.URL, fetchers.ErrLogin)
				}
				return s.Fetch(ctx, req)
			})}
			u := parse(t, c.path[0])
			u.User = &url.Userinfo{Name: "me", Password: "secret", PasswordSet: true}
			req := &fetchers.Request{URL: u, Named: c.first, Login: &fetchers.Credential{User: "me"}, Header: textproto.MIMEHeader{"Cookie": {"a=b"}}}
			if c.first == fetchers.ByServer { // the maker of such a Request removes the secrets
				req.Login, req.Header, u.User = nil, nil, nil
			}
			if _, err := client.Fetch(t.Context(), req); !errors.Is(err, fetchers.ErrLogin) {
				t.Fatal(err)
			}
			var named []fetchers.Namer
			for _, req := range s.asked {
				named = append(named, req.Named)
			}
			if want := append([]fetchers.Namer{c.first}, c.named...); !slices.Equal(named, want) {
				t.Errorf("named by %v, want %v", named, want)
			}
			asked := ""
			for _, o := range k.asked {
				asked = map[bool]string{false: "usual", true: "redirected"}[o.Redirected]
			}
			if asked != c.asked {
				t.Errorf("the Keychain was asked %q, want %q", asked, c.asked)
			}
		})
	}
}

// Few redirections are followed from a URL with Namer ByStranger.
func TestStrangersRedirections(t *testing.T) {
	s := &site{to: make(map[string]string)}
	for i := range 4 {
		s.to[fmt.Sprintf("http://h.example/%d", i)] = fmt.Sprintf("http://h.example/%d", i+1)
	}
	for first, ok := range []bool{false, true} {
		s.asked = nil
		res, err := (&fetchers.Client{Fetcher: s}).Fetch(t.Context(), &fetchers.Request{URL: parse(t, fmt.Sprintf("http://h.example/%d", first)), Named: fetchers.ByStranger})
		if err == nil {
			res.Close()
		}
		if (err == nil) != ok || !ok && !errors.Is(err, fetchers.ErrRedirect) || len(s.asked) != 4 {
			t.Errorf("from %d: %v after %d", first, err, len(s.asked))
		}
	}
}

// With Once, neither a Request nor its Body is repeated.
func TestOnce(t *testing.T) {
	tries := 0
	client := &fetchers.Client{Retry: fetchers.Retry{Max: 5, Delay: time.Nanosecond}, Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		tries++
		return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrTemporary)
	})}
	if _, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/"), Once: true}); !errors.Is(err, fetchers.ErrTemporary) || tries != 1 {
		t.Errorf("%v after %d tries", err, tries)
	}
	tries = 0
	client.Fetcher = fetchers.FetcherFunc(func(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		tries++
		return refusing(req, 503, 0), nil
	})
	refused, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/"), Once: true, NoFail: true})
	if err != nil || refused.Reply.Code != 503 || tries != 1 {
		t.Errorf("%v, %v after %d tries", refused, err, tries)
	}
	b := &brittle{content: alphabet, have: tagged, after: 3, err: io.ErrUnexpectedEOF}
	client.Fetcher = b
	res, err := client.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "http://h.example/"), Once: true})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, io.ErrUnexpectedEOF) || len(b.ranges) != 1 {
		t.Errorf("%v after %d answers", err, len(b.ranges))
	}
}
