package download_test

import (
	"context"
	"fmt"
	"net/textproto"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A directory answers by URL with a redirection or a Link field, and then with a temporary failure.
// It records the requests.
type directory struct {
	links     map[string][]string
	redirects map[string]string
	asked     []fetchers.Request
}

func (d *directory) Fetch(_ context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	d.asked = append(d.asked, *req)
	if to, ok := d.redirects[req.URL.String()]; ok {
		location, err := url.Parse(to)
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Size: -1, Location: location}
		res.SetBody(nil)
		return res, err
	}
	links, ok := d.links[req.URL.String()]
	if !ok {
		return nil, fetchers.NewError("fetch", req.URL, fetchers.ErrTemporary)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: -1, Header: textproto.MIMEHeader{
		"Repr-Digest": {field("sha-256", sum256(v1.content))}, "Link": links,
	}}
	res.SetBody(failing{})
	return res, nil
}

// A failing body is cut off at once.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fetchers.ErrTemporary }
func (failing) Close() error             { return nil }

// saver returns a Saver that fetches from d with a Client that retries.
func (d *directory) saver() *download.Saver {
	return &download.Saver{
		Fetcher:  &fetchers.Client{Fetcher: d, Retry: fetchers.Retry{Max: 3, Delay: time.Nanosecond}},
		Segments: 1,
		Duplicate: func(u *url.URL) *fetchers.Request {
			return &fetchers.Request{URL: u, Login: &fetchers.Credential{User: "me", Password: "secret"}, Header: textproto.MIMEHeader{"X-Token": {"x"}}}
		},
	}
}

// counts returns the number of requests to each host.
func (d *directory) counts() map[string]int {
	hosts := make(map[string]int)
	for _, req := range d.asked {
		hosts[req.URL.Host]++
	}
	return hosts
}

// A server may name ten mirrors, two of them at one host. Each is tried once, even if its response
// names others. The URL of the user is tried as often as the Retry allows.
func TestFurtherPlacesAreBounded(t *testing.T) {
	d := &directory{links: make(map[string][]string)}
	var links []string
	for n := range 300 {
		links = append(links, fmt.Sprintf("<http://h%d.example/%d>; rel=duplicate", n/3, n))
	}
	d.links["http://user.example/"] = links[:30]
	d.links["http://h0.example/0"] = links[30:]
	_, err := d.saver().SaveAny(t.Context(), []*fetchers.Request{request(t, "http://user.example/")}, download.Target{Name: filepath.Join(t.TempDir(), "file")})
	if err == nil || len(d.asked) != 4+10 {
		t.Errorf("%v after %d requests", err, len(d.asked))
	}
	for host, n := range d.counts() {
		if host != "user.example" && n > 2 {
			t.Errorf("%s was asked %d times", host, n)
		}
	}
}

// Of the mirrors in a list by a stranger, the first is not limited. The others count like those
// that a server names.
func TestStrangersPlacesAreBounded(t *testing.T) {
	d := new(directory)
	var reqs []*fetchers.Request
	for n := range 300 {
		req := request(t, fmt.Sprintf("http://h%d.example/%d", n/3, n))
		req.Named = fetchers.ByStranger
		reqs = append(reqs, req)
	}
	_, err := d.saver().SaveAny(t.Context(), reqs, download.Target{Name: filepath.Join(t.TempDir(), "file")})
	if err == nil || len(d.asked) != 4+10 || d.counts()["h0.example"] != 4+2 {
		t.Errorf("%v after %d requests: %v", err, len(d.asked), d.counts())
	}
}

// All mirrors that the user named are tried, and retried as often as allowed.
func TestTheUsersPlacesAreNotBounded(t *testing.T) {
	d := new(directory)
	var reqs []*fetchers.Request
	for n := range 20 {
		reqs = append(reqs, request(t, fmt.Sprintf("http://h.example/%d", n)))
	}
	_, err := d.saver().SaveAny(t.Context(), reqs, download.Target{Name: filepath.Join(t.TempDir(), "file")})
	if err == nil || len(d.asked) != 20*4 {
		t.Errorf("%v after %d requests", err, len(d.asked))
	}
}

// A mirror that a server names gets a secret only if it is at the origin of the user's URL, and the
// response to that URL names it.
func TestSecretsAreNotForFurtherPlaces(t *testing.T) {
	d := &directory{links: map[string][]string{
		"http://user.example/":   {"</same>; rel=duplicate, <http://evil.example/>; rel=duplicate"},
		"http://evil.example/":   {"</same>; rel=duplicate, <http://user.example/back>; rel=duplicate"},
		"http://other.example/":  {"<http://other.example:8080/port>; rel=duplicate, <https://other.example/scheme>; rel=duplicate"},
		"http://listed.example/": {"</same>; rel=duplicate"},
	}}
	listed := request(t, "http://listed.example/")
	listed.Named = fetchers.ByStranger
	for _, req := range []*fetchers.Request{request(t, "http://user.example/"), request(t, "http://other.example/"), listed} {
		d.saver().SaveAny(t.Context(), []*fetchers.Request{req}, download.Target{Name: filepath.Join(t.TempDir(), "file")})
	}
	var trusted, strangers []string
	for _, req := range d.asked {
		switch secret := req.Login != nil || req.Header["X-Token"] != nil; {
		case secret && req.Named != fetchers.ByUser:
			t.Errorf("%s: login %v, header %v, named by %d", req.URL, req.Login, req.Header, req.Named)
		case secret:
			trusted = append(trusted, req.URL.String())
		case req.Named == fetchers.ByStranger:
			strangers = append(strangers, req.URL.String())
		}
	}
	if want := "http://user.example/same"; strings.Join(trusted, " ") != want {
		t.Errorf("secrets go to %q, want %q", trusted, want)
	}
	if want := "http://evil.example/ http://evil.example/same http://user.example/back http://other.example:8080/port https://other.example/scheme http://listed.example/ http://listed.example/same"; strings.Join(slices.Compact(strangers), " ") != want {
		t.Errorf("strangers are %q, want %q", strangers, want)
	}
}

// If the user's URL redirects to a server that names mirrors at the origin of that URL, the mirrors
// get no secret, since the user did not name them.
func TestSecretsAreNotForPlacesOfAnotherServer(t *testing.T) {
	d := &directory{
		redirects: map[string]string{"http://user.example/": "http://evil.example/"},
		links:     map[string][]string{"http://evil.example/": {"<http://user.example/delete?by=evil>; rel=duplicate, </same>; rel=duplicate"}},
	}
	s := d.saver()
	typed := s.Duplicate(request(t, "http://user.example/").URL)
	s.SaveAny(t.Context(), []*fetchers.Request{typed}, download.Target{Name: filepath.Join(t.TempDir(), "file")})
	var further []string
	for _, req := range d.asked {
		u := req.URL.String()
		secret := req.Login != nil || req.Header["X-Token"] != nil
		switch u {
		case "http://user.example/":
			if !secret {
				t.Errorf("%s gets no secret", u)
			}
			continue
		case "http://evil.example/":
		default:
			further = append(further, u)
			if req.Named != fetchers.ByStranger {
				t.Errorf("%s: named by %d", u, req.Named)
			}
		}
		if secret {
			t.Errorf("%s: login %v, header %v", u, req.Login, req.Header)
		}
	}
	if want := []string{"http://user.example/delete?by=evil", "http://evil.example/same"}; !slices.Equal(further, want) {
		t.Errorf("further places are %q, want %q", further, want)
	}
}
