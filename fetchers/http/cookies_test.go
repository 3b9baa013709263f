package http_test

import (
	"fmt"
	nethttp "net/http"
	"net/http/cookiejar"
	neturl "net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/publicsuffix"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

func TestCookies(t *testing.T) {
	for _, c := range []struct {
		name   string
		from   string
		fields []string
		to     string
		want   string
	}{
		{"none", "http://h.example/", nil, "http://h.example/", ""},
		{"back to the host", "http://h.example/", []string{"a=1"}, "http://h.example/x/y", "a=1"},
		{"to another port too", "http://h.example/", []string{"a=1"}, "https://h.example:8443/", "a=1"},
		{"to no other scheme", "http://h.example/", []string{"a=1"}, "ftp://h.example/", ""},
		{"from no other scheme", "ftp://h.example/", []string{"a=1"}, "http://h.example/", ""},
		{"to no other host", "http://h.example/", []string{"a=1"}, "http://i.example/", ""},
		{"without Domain not to hosts below", "http://h.example/", []string{"a=1"}, "http://b.h.example/", ""},
		{"with Domain to hosts below", "http://h.example/", []string{"a=1; Domain=h.example"}, "http://b.h.example/", "a=1"},
		{"a dot before the Domain is ignored", "http://h.example/", []string{"a=1; Domain=.H.Example"}, "http://b.h.example/", "a=1"},
		{"to the domain from a host below", "http://b.h.example/", []string{"a=1; Domain=h.example"}, "http://h.example/", "a=1"},
		{"not to a name that ends alike", "http://h.example/", []string{"a=1; Domain=h.example"}, "http://evilh.example/", ""},
		{"not for another host", "http://h.example/", []string{"a=1; Domain=i.example"}, "http://i.example/", ""},
		{"not for a host below", "http://h.example/", []string{"a=1; Domain=b.h.example"}, "http://b.h.example/", ""},
		{"not for a public suffix", "http://a.co.uk/", []string{"x=1; Domain=co.uk"}, "http://b.co.uk/", ""},
		{"not for a public suffix in capitals", "http://a.co.uk/", []string{"x=1; Domain=CO.UK"}, "http://b.co.uk/", ""},
		{"not for a public suffix with a final dot", "http://a.co.uk./", []string{"x=1; Domain=co.uk"}, "http://b.co.uk./", ""},
		{"not for a suffix that is private", "http://a.github.io/", []string{"x=1; Domain=github.io"}, "http://b.github.io/", ""},
		{"for a host that is a suffix itself", "http://github.io/", []string{"x=1; Domain=github.io"}, "http://github.io/", "x=1"},
		{"not for other hosts below a suffix", "http://github.io/", []string{"x=1; Domain=github.io"}, "http://b.github.io/", ""},
		{"the final dot is the same host", "http://h.example./", []string{"a=1"}, "http://h.example/", "a=1"},
		{"an address", "http://127.0.0.1/", []string{"a=1"}, "http://127.0.0.1:81/", "a=1"},
		{"an address is no domain", "http://127.0.0.1/", []string{"a=1; Domain=0.0.1"}, "http://127.0.0.1/", ""},
		{"an IPv6 address", "http://[::1]/", []string{"a=1"}, "http://[::1]:81/", "a=1"},

		{"to the directory and below", "http://h.example/a/b", []string{"a=1"}, "http://h.example/a/c/d", "a=1"},
		{"not beside the directory", "http://h.example/a/b", []string{"a=1"}, "http://h.example/ab", ""},
		{"Path", "http://h.example/", []string{"a=1; Path=/a/b"}, "http://h.example/a/b/c", "a=1"},
		{"Path as whole elements", "http://h.example/", []string{"a=1; Path=/a/b"}, "http://h.example/a/bc", ""},
		{"an escaped slash is not a slash", "http://h.example/", []string{"a=1; Path=/a/b"}, "http://h.example/a%2Fb", ""},
		{"the longest path first", "http://h.example/", []string{"a=1", "b=2; Path=/x"}, "http://h.example/x", "b=2; a=1"},
		{"else the oldest first", "http://h.example/", []string{"b=1", "a=2", "b=3"}, "http://h.example/", "b=3; a=2"},

		{"Secure over https", "https://h.example/", []string{"a=1; Secure"}, "https://h.example/", "a=1"},
		{"Secure not over http", "https://h.example/", []string{"a=1; Secure"}, "http://h.example/", ""},
		{"Secure to this machine without TLS", "https://localhost/", []string{"a=1; Secure"}, "http://localhost/", "a=1"},
		{"Secure from this machine without TLS", "http://LOCALHOST./", []string{"a=1; Secure"}, "http://localhost/", "a=1"},
		{"Secure from a name below localhost", "http://a.localhost/", []string{"a=1; Secure"}, "http://a.localhost/", "a=1"},
		{"Secure from 127.0.0.1", "http://127.0.0.1/", []string{"a=1; Secure"}, "http://127.0.0.1/", "a=1"},
		{"Secure from ::1", "http://[::1]/", []string{"a=1; Secure"}, "http://[::1]/", "a=1"},
		{"Secure not from a name like localhost", "http://notlocalhost/", []string{"a=1; Secure"}, "https://notlocalhost/", ""},
		{"Secure not from a host of localhost in a domain", "http://localhost.h.example/", []string{"a=1; Secure"}, "https://localhost.h.example/", ""},
		{"Secure not from another address", "http://192.0.2.1/", []string{"a=1; Secure"}, "https://192.0.2.1/", ""},
		{"Secure not from http", "http://h.example/", []string{"a=1; Secure"}, "https://h.example/", ""},
		{"__Host- without Domain", "https://h.example/", []string{"__Host-a=1; Secure; Path=/"}, "https://h.example/", "__Host-a=1"},
		{"__Host- with Domain", "https://h.example/", []string{"__Host-a=1; Secure; Path=/; Domain=h.example"}, "https://h.example/", ""},
		{"__Secure- without Secure", "https://h.example/", []string{"__Secure-a=1"}, "https://h.example/", ""},

		{"Max-Age 0 removes", "http://h.example/", []string{"a=1", "b=2", "a=; Max-Age=0"}, "http://h.example/", "b=2"},
		{"Expires in the past removes", "http://h.example/", []string{"a=1", "a=1; Expires=Thu, 01-Jan-1970 00:00:01 GMT"}, "http://h.example/", ""},
		{"in the order of a shell too", "http://h.example/", []string{"a=1", "a=; Expires=Thu Jan 1 00:00:00 GMT 1970"}, "http://h.example/", ""},
		{"so does the year 1", "http://h.example/", []string{"a=1", "a=1; Expires=Mon, 01 Jan 0001 00:00:00 GMT"}, "http://h.example/", ""},
		{"Max-Age comes before Expires", "http://h.example/", []string{"a=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:01 GMT"}, "http://h.example/", "a=1"},
		{"in either order", "http://h.example/", []string{"a=1; Expires=Thu, 01 Jan 1970 00:00:01 GMT; Max-Age=10"}, "http://h.example/", "a=1"},
		{"an Expires that makes no sense", "http://h.example/", []string{"a=1; Expires=soon"}, "http://h.example/", "a=1"},
		{"a Max-Age that makes no sense", "http://h.example/", []string{"a=1; Max-Age=1h"}, "http://h.example/", "a=1"},
		{"a Max-Age far below 0 removes", "http://h.example/", []string{"a=1", "b=2", "a=; Max-Age=-99999999999999999999"}, "http://h.example/", "b=2"},
		{"a Max-Age of -0 removes", "http://h.example/", []string{"a=1", "a=; Max-Age=-0"}, "http://h.example/", ""},
		{"a Max-Age of more than an integer", "http://h.example/", []string{"a=1; Max-Age=99999999999999999999; Expires=Thu, 01 Jan 1970 00:00:01 GMT"}, "http://h.example/", "a=1"},
		{"a Max-Age with a plus sign is none", "http://h.example/", []string{"a=1", "a=2; Max-Age=+0"}, "http://h.example/", "a=2"},
		{"a lone minus sign is no Max-Age", "http://h.example/", []string{"a=1; Max-Age=-"}, "http://h.example/", "a=1"},
		{"an empty value", "http://h.example/", []string{"a="}, "http://h.example/", "a="},
		{"a value as it is", "http://h.example/", []string{`a={"b":"c, d"}`, `q="x"`}, "http://h.example/", `a={"b":"c, d"}; q="x"`},
		{"no name", "http://h.example/", []string{"=1", "a", ""}, "http://h.example/", ""},
		{"a control character", "http://h.example/", []string{"a=1\x002", "b=1\t2", "c=1\x7f"}, "http://h.example/", ""},
		{"too large", "http://h.example/", []string{"a=" + strings.Repeat("x", 4096)}, "http://h.example/", ""},
		{"large", "http://h.example/", []string{"a=" + strings.Repeat("x", 4095)}, "http://h.example/", "a=" + strings.Repeat("x", 4095)},
		{"a directory with too long a path", "http://h.example/" + strings.Repeat("x", 2000) + "/", []string{"a=1"}, "http://h.example/" + strings.Repeat("x", 2000) + "/", ""},
		{"a control character in the path", "http://h.example/", []string{"a=1; Path=/\x01/"}, "http://h.example/", ""},
		{"a path too long", "http://h.example/", []string{"a=1; Path=/" + strings.Repeat("x", 2000)}, "http://h.example/" + strings.Repeat("x", 2000), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var jar http.Jar
			jar.Receive(parse(t, c.from), c.fields)
			if got := jar.Field(parse(t, c.to)); got != c.want {
				t.Errorf("Cookie: %s\nwant %s", got, c.want)
			}
		})
	}
}

// A cookie set over http does not replace one set over https.
func TestSecureCookiesAreLeftAlone(t *testing.T) {
	var jar http.Jar
	secure := parse(t, "https://h.example/")
	jar.Receive(secure, []string{"id=real; Secure; Domain=h.example"})
	for _, plain := range []string{"http://h.example/", "http://b.h.example/"} {
		jar.Receive(parse(t, plain), []string{"id=forged; Domain=h.example", "id=forged; Path=/x", "id=; Max-Age=0; Domain=h.example", "other=1"})
	}
	if got := jar.Field(parse(t, "https://h.example/x")); got != "id=real; other=1" {
		t.Errorf("Cookie: %s", got)
	}
}

// Only the path of a Secure cookie is protected: one for /login does not prevent one for the whole
// host.
func TestSecureCookieShieldsItsPath(t *testing.T) {
	var jar http.Jar
	jar.Receive(parse(t, "https://h.example/"), []string{"id=real; Secure; Path=/login"})
	jar.Receive(parse(t, "http://h.example/"), []string{"id=1; Path=/login", "id=2; Path=/login/en", "id=3; Path=/log", "id=4; Path=/"})
	if got := jar.Field(parse(t, "https://h.example/login/en")); got != "id=real; id=4" {
		t.Errorf("Cookie: %s", got)
	}
	if got := jar.Field(parse(t, "http://h.example/log")); got != "id=3; id=4" {
		t.Errorf("Cookie: %s", got)
	}
}

// An http server that fills the jar evicts no Secure cookie, and so cannot replace one.
func TestFullJarKeepsSecureCookies(t *testing.T) {
	for name, flood := range map[string]struct {
		n    int
		from func(i int) string
	}{
		"from the same host": {400, func(int) string { return "http://h.example/" }},
		"from hosts below":   {400, func(i int) string { return fmt.Sprintf("http://b%d.h.example/", i%7) }},
		"from everywhere":    {3100, func(i int) string { return fmt.Sprintf("http://h%d.example/", i) }},
	} {
		t.Run(name, func(t *testing.T) {
			var jar http.Jar
			jar.Receive(parse(t, "https://h.example/"), []string{"sid=GOOD; Secure; Domain=h.example"})
			for i := range flood.n {
				jar.Receive(parse(t, flood.from(i)), []string{fmt.Sprintf("c%d=1", i)})
			}
			jar.Receive(parse(t, "http://h.example/"), []string{"sid=EVIL; Domain=h.example"})
			if got := jar.Field(parse(t, "https://h.example/")); !strings.HasPrefix(got, "sid=GOOD") || strings.Contains(got, "EVIL") {
				t.Errorf("Cookie: %.40s", got)
			}
			if n := len(jar.Cookies()); n > 3000 {
				t.Errorf("%d cookies", n)
			}
		})
	}
}

// A site with Secure cookies only stores no other. One more Secure cookie evicts the least recently
// used.
func TestFullJarDropsInOrder(t *testing.T) {
	var jar http.Jar
	secure := parse(t, "https://h.example/")
	jar.Receive(secure, []string{"used=1; Secure; Path=/used"})
	for i := range 177 {
		jar.Receive(secure, []string{fmt.Sprintf("s%d=1; Secure; Path=/other", i)})
	}
	jar.Receive(secure, []string{"plain=1; Path=/used", "late=1; Max-Age=1"})
	names := func() (all []string) {
		for _, c := range jar.Cookies() {
			all = append(all, c.Name)
		}
		return all
	}
	has := func(name string, want bool) {
		t.Helper()
		if all := names(); slices.Contains(all, name) != want || len(all) != 180 {
			t.Errorf("of %d cookies, that %s is one is not %v", len(all), name, want)
		}
	}
	for _, c := range jar.Cookies() {
		if c.Name == "late" {
			time.Sleep(time.Until(c.Expires))
		}
	}
	jar.Receive(secure, []string{"t0=1; Secure"}) // replaces the expired cookie
	has("late", false)
	has("plain", true)
	jar.Field(parse(t, "https://h.example/used"))
	jar.Receive(secure, []string{"t1=1; Secure"}) // replaces the only cookie without Secure, though it was used last
	has("plain", false)
	jar.Receive(parse(t, "http://h.example/"), []string{"forged=1"}) // no room for it
	has("forged", false)
	has("s0", true) // t0 becomes the least recently used
	jar.Receive(secure, []string{"t2=1; Secure"})
	has("s0", false)  // the oldest except s0
	has("used", true) // sent since
	has("t0", true)
}

// TestCookieBounds lets servers set 20,000 cookies.
func TestCookieBounds(t *testing.T) {
	var jar http.Jar
	other := parse(t, "http://other.example/")
	jar.Receive(other, []string{"a=1"})
	var fields []string
	for i := range 20_000 {
		fields = append(fields, fmt.Sprintf("c%d=%d", i, i))
	}
	jar.Receive(parse(t, "http://h.example/"), fields)
	got := jar.Cookies()
	if len(got) != 181 || got[0].Name != "a" || got[1].Name != "c19820" || got[180].Name != "c19999" {
		t.Errorf("%d cookies, from %s", len(got), got[0].Name)
	}
	for i := range 1000 { // subdomains share the limit of their site
		jar.Receive(parse(t, fmt.Sprintf("http://h%d.h.example/", i)), fields[:1])
	}
	if got := jar.Cookies(); len(got) != 181 || jar.Field(other) != "a=1" {
		t.Errorf("%d cookies", len(got))
	}
	for i := range 5000 {
		jar.Receive(parse(t, fmt.Sprintf("http://h%d.example/", i)), fields[:1])
	}
	if got := jar.Cookies(); len(got) != 3000 || got[2999].Domain != "h4999.example" {
		t.Errorf("%d cookies", len(got))
	}
}

func TestCookieExpires(t *testing.T) {
	synctest.Test(t, testCookieExpires) // the clock does not advance between two calls
}

func testCookieExpires(t *testing.T) {
	var jar http.Jar
	u := parse(t, "http://h.example/")
	jar.Receive(u, []string{"a=1; Max-Age=1", "b=2; Max-Age=99999999999"})
	jar.Load(strings.NewReader("h.example\tFALSE\t/\tFALSE\t1\tc\told\n"))
	got := jar.Cookies()
	if len(got) != 2 || time.Until(got[1].Expires) > 400*24*time.Hour {
		t.Errorf("%+v", got)
	}
	time.Sleep(time.Until(got[0].Expires))
	if got := jar.Field(u); got != "b=2" {
		t.Errorf("Cookie: %s", got)
	}
	var file strings.Builder
	if jar.Save(&file); strings.Contains(file.String(), "\ta\t") {
		t.Errorf("saved %s", file.String())
	}
}

// FuzzCookies compares a Jar with the one of net/http. A Jar may be stricter, but never less
// strict.
func FuzzCookies(f *testing.F) {
	f.Add("http://h.example/", "a=1; Domain=h.example; Path=/", "http://b.h.example/x")
	f.Add("https://a.co.uk./x/y", "a=1; Domain=.CO.UK; Secure", "https://b.co.uk/")
	f.Add("http://127.0.0.1/", "a=1; Domain=127.0.0.1", "http://127.0.0.1/")
	f.Add("http://[::1]/", "a=1; Domain=::1", "http://[::1]/")
	f.Add("http://xn--bcher-kva.example/", "a=1; Max-Age=-5; Path=", "http://xn--bcher-kva.example/")
	f.Fuzz(func(t *testing.T, from, field, to string) {
		u, err1 := url.Parse(from)
		v, err2 := url.Parse(to)
		if err1 != nil || err2 != nil {
			return
		}
		var jar http.Jar
		jar.Receive(u, []string{field})
		got := jar.Field(v)
		if got == "" {
			return
		}
		if strings.ContainsAny(got, "\r\n\x00") {
			t.Fatalf("Cookie: %q", got)
		}
		c := jar.Cookies()[0]
		for _, other := range []*url.URL{v, {Scheme: "http", Slashes: true, Authority: url.Authority{Host: "x." + v.Host}, Path: v.Path}} {
			given := &nethttp.Cookie{Name: "a", Value: "1", Path: c.Path, Secure: c.Secure}
			if !c.HostOnly {
				given.Domain = c.Domain
			}
			theirs, _ := cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
			theirs.SetCookies(plain(u), []*nethttp.Cookie{given})
			if jar.Field(other) != "" && len(theirs.Cookies(plain(other))) == 0 {
				t.Fatalf("%+v goes to %s, which net/http forbids", c, other)
			}
		}
	})
}

// plain converts u to net/url, with its path as written.
func plain(u *url.URL) *neturl.URL {
	host := u.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	path := u.Path
	if path == "" {
		path = "/"
	}
	return &neturl.URL{Scheme: u.Scheme, Host: host, Path: path}
}
