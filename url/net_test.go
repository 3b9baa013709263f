package url_test

import (
	"errors"
	neturl "net/url"
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

func TestFromNet(t *testing.T) {
	for name, c := range map[string]struct {
		in   *neturl.URL
		want string // "" means an error
	}{
		"http":                       {&neturl.URL{Scheme: "http", Host: "H.dom:80", Path: "/a b", RawQuery: "q=1"}, "http://h.dom:80/a%20b?q=1"},
		"an empty query":             {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "/", ForceQuery: true}, "http://h.dom/?"},
		"a login":                    {&neturl.URL{Scheme: "ftp", Host: "h.dom", User: neturl.UserPassword("joe", "a:b@c/d")}, "ftp://joe:a%3Ab%40c%2Fd@h.dom"},
		"an escaped slash":           {&neturl.URL{Scheme: "ftp", Host: "h.dom", Path: "//etc", RawPath: "/%2Fetc"}, "ftp://h.dom/%2Fetc"},
		"a question mark in a path":  {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "/a?b#c"}, "http://h.dom/a%3Fb%23c"},
		"a query in ftp is a path":   {&neturl.URL{Scheme: "ftp", Host: "h.dom", Path: "/a", RawQuery: "b"}, "ftp://h.dom/a?b"},
		"an address with a zone":     {&neturl.URL{Scheme: "http", Host: "[fe80::1%eth0]:8080", Path: "/"}, "http://[fe80::1%25eth0]:8080/"},
		"mailto":                     {&neturl.URL{Scheme: "mailto", Opaque: "joe@h.dom", RawQuery: "subject=x"}, "mailto:joe@h.dom?subject=x"},
		"a file":                     {&neturl.URL{Scheme: "file", Path: "/etc/motd"}, "file:///etc/motd"},
		"a path without a slash":     {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "a"}, "http://h.dom/a"},
		"a line end in a path":       {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "/a\r\nX: y"}, "http://h.dom/a%0D%0AX:%20y"},
		"a scheme in capitals":       {&neturl.URL{Scheme: "HTTP", Host: "h.dom", Path: "/"}, "http://h.dom/"},
		"nothing":                    {nil, ""},
		"no scheme":                  {&neturl.URL{Host: "h.dom", Path: "/"}, ""},
		"no host":                    {&neturl.URL{Scheme: "http", Path: "/a"}, ""},
		"a host in the scheme":       {&neturl.URL{Scheme: "http://evil.dom/?", Host: "h.dom"}, ""},
		"a host in the path":         {&neturl.URL{Scheme: "http", Path: "evil.dom/a"}, ""},
		"a host in a file":           {&neturl.URL{Scheme: "file", Path: "evil.dom/a"}, ""},
		"a host after two slashes":   {&neturl.URL{Scheme: "file", Path: "//evil.dom/a", OmitHost: true}, ""},
		"a host that is omitted":     {&neturl.URL{Scheme: "magic", Path: "//evil.dom/a", OmitHost: true}, ""},
		"a host in the opaque part":  {&neturl.URL{Scheme: "http", Opaque: "//evil.dom/"}, ""},
		"an opaque part and a host":  {&neturl.URL{Scheme: "http", Host: "h.dom", Opaque: "//evil.dom/"}, ""},
		"a query in the opaque part": {&neturl.URL{Scheme: "mailto", Opaque: "joe?bcc=x"}, ""},
		"a fragment in the query":    {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "/", RawQuery: "a#b"}, ""},
		"a line end in a query":      {&neturl.URL{Scheme: "http", Host: "h.dom", Path: "/", RawQuery: "a\r\nX: y"}, ""},
		"a line end in a host":       {&neturl.URL{Scheme: "http", Host: "h.dom\r\nX: y"}, ""},
		"a user in the host":         {&neturl.URL{Scheme: "http", Host: "joe@h.dom"}, ""},
		"a path in the host":         {&neturl.URL{Scheme: "http", Host: "evil.dom/.h.dom"}, ""},
		"two ports":                  {&neturl.URL{Scheme: "http", Host: "h.dom:80:90"}, ""},
		"a port that is no number":   {&neturl.URL{Scheme: "http", Host: "h.dom:x"}, ""},
		"a host of another script":   {&neturl.URL{Scheme: "http", Host: "bücher.example"}, ""},
		"a host written as a number": {&neturl.URL{Scheme: "http", Host: "0x7f000001"}, ""},
		"a user, and no host":        {&neturl.URL{Scheme: "http", User: neturl.UserPassword("joe", "s3cret"), Path: "/"}, ""},
		"a gopher URL with a user":   {&neturl.URL{Scheme: "gopher", User: neturl.UserPassword("joe", "s3cret"), Host: "h.dom"}, ""},
		"a bad escape in the query":  {&neturl.URL{Scheme: "http", Host: "h.dom", RawQuery: "s3cret=%zz"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			u, err := url.FromNet(c.in)
			if c.want == "" {
				var malformed *url.Error
				if !errors.As(err, &malformed) || strings.Contains(err.Error(), "s3cret") || u != nil {
					t.Fatalf("%v, error %v, want an Error without the password", u, err)
				}
				return
			}
			if err != nil || u.String() != c.want {
				t.Fatalf("%v, %v; want %s", u, err, c.want)
			}
			checkRoundTrip(t, u)
		})
	}
}

func TestToNet(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://joe:s3cret@h.dom/a?b;type=i": "ftp://joe:s3cret@h.dom/a?b;type=i",
		"http://h.dom/a%2Fb?q#f":            "http://h.dom/a%2Fb?q#f",
		"http://h.dom/a#":                   "http://h.dom/a",
		"data:,A%20b":                       "data:,A%20b",
		"file:/etc/motd":                    "file:///etc/motd",
		"news:comp.lang.c":                  "news:comp.lang.c",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := u.ToNet(); err != nil || n.String() != want {
			t.Errorf("%s: %v, %v; want %s", in, n, err, want)
		}
	}
	for name, u := range map[string]*url.URL{
		"nothing":                nil,
		"no scheme":              {},
		"a host with a path":     {Scheme: "http", Slashes: true, Authority: url.Authority{Host: "h.dom/x"}},
		"a path that adds to it": {Scheme: "http", Slashes: true, Authority: url.Authority{Host: "h.dom"}, Path: ".evil.dom/"},
		"a query in the path":    {Scheme: "http", Slashes: true, Authority: url.Authority{Host: "h.dom"}, Path: "/a?b"},
		"a password and a line":  {Scheme: "http", Slashes: true, Authority: url.Authority{User: &url.Userinfo{Name: "joe", Password: "s3cret", PasswordSet: true}, Host: "h\n"}},
	} {
		n, err := u.ToNet()
		if !errors.As(err, new(*url.Error)) || strings.Contains(err.Error(), "s3cret") || n != nil {
			t.Errorf("%s: %v, error %v, want an Error without the password", name, n, err)
		}
	}
}

func TestJoinPath(t *testing.T) {
	for _, c := range []struct {
		base     string
		elements []string
		want     string // "" means an error
	}{
		{"http://h.dom", []string{"a"}, "http://h.dom/a"},
		{"http://h.dom/a", []string{"b", "c"}, "http://h.dom/a/b/c"},
		{"http://h.dom/a/", []string{"/b/", "c/"}, "http://h.dom/a/b/c/"},
		{"http://h.dom/a?q#f", []string{"b"}, "http://h.dom/a/b?q#f"},
		{"http://h.dom/a?q#f", nil, "http://h.dom/a?q#f"},
		{"http://h.dom/a", []string{"", ""}, "http://h.dom/a"},
		{"http://h.dom/a", []string{"b c?d#e", "50%", "%2F"}, "http://h.dom/a/b%20c%3Fd%23e/50%25/%2F"},
		{"http://h.dom/a", []string{"..", "b"}, "http://h.dom/b"},
		{"http://h.dom/a", []string{"../../../b"}, "http://h.dom/b"},
		{"http://h.dom/a", []string{"//evil.dom/b"}, "http://h.dom/a/evil.dom/b"},
		{"http://h.dom/a", []string{"http://evil.dom/"}, "http://h.dom/a/http://evil.dom/"},
		{"http://h.dom/a", []string{"x\r\nY: z"}, "http://h.dom/a/x%0D%0AY:%20z"},
		{"ftp://h.dom/pub;type=d", []string{"a;type=i"}, "ftp://h.dom/pub/a;type=i"},
		{"ftp://h.dom/%2Fetc", []string{"motd?"}, "ftp://h.dom/%2Fetc/motd%3F"},
		{"gopher://h.dom/1/dir", []string{"a", "b"}, "gopher://h.dom/1/dir/a/b"},
		{"file:///etc", []string{"motd"}, "file:///etc/motd"},
		{"magic:a", []string{"b"}, "magic:a/b"},
		{"magic:/", []string{"b"}, "magic:/b"},
		{"mailto:joe@h.dom", []string{"a"}, ""},
		{"urn:a:b", []string{"c"}, ""},
		{"news:comp.lang.c", []string{"a"}, ""},
	} {
		u, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := u.JoinPath(c.elements...)
		if c.want == "" {
			if !errors.As(err, new(*url.Error)) {
				t.Errorf("%s + %q: %v, %v, want an Error", c.base, c.elements, got, err)
			}
			continue
		}
		if err != nil || got.String() != c.want {
			t.Errorf("%s + %q: %v, %v; want %s", c.base, c.elements, got, err, c.want)
			continue
		}
		checkRoundTrip(t, got)
		if u.String() != c.base {
			t.Errorf("%s has become %s", c.base, u)
		}
	}
}

// FuzzNet checks that a URL is the same after ToNet and FromNet, or that ToNet returns an error
// without the text of the URL.
func FuzzNet(f *testing.F) {
	addRows(f)
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		if err != nil {
			return
		}
		n, err := u.ToNet()
		if err != nil {
			if !errors.As(err, new(*url.Error)) {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		if u.Fragment == "#" {
			u.Fragment = ""
		}
		back, err := url.FromNet(n)
		if err != nil || !reflect.DeepEqual(back, u) {
			t.Fatalf("%q: %#v came back as %#v, %v", s, u, back, err)
		}
	})
}

// FuzzFromNet checks that FromNet returns a URL with the parts of n, or an error.
func FuzzFromNet(f *testing.F) {
	f.Add("http", "", "joe", "secret", "h.dom:80", "/a b", "/a%20b", "q", "f", false)
	f.Add("file", "", "", "", "", "//evil.dom/x", "", "", "", true)
	f.Add("http", "//evil.dom", "", "", "h.dom", "", "", "a#b", "", false)
	f.Fuzz(func(t *testing.T, scheme, opaque, user, password, host, path, rawPath, query, fragment string, omit bool) {
		n := &neturl.URL{Scheme: scheme, Opaque: opaque, Host: host, Path: path, RawPath: rawPath, RawQuery: query, Fragment: fragment, OmitHost: omit}
		if user != "" {
			n.User = neturl.UserPassword(user, password)
		}
		u, err := url.FromNet(n)
		if err != nil {
			return
		}
		checkRoundTrip(t, u)
		name, _, _ := strings.Cut(host, ":")
		if !strings.HasPrefix(host, "[") && !strings.EqualFold(u.Host, name) || u.Scheme != strings.ToLower(scheme) {
			t.Fatalf("%#v became %#v", n, u)
		}
		if (u.User != nil) != (user != "") || u.User != nil && (u.User.Name != user || u.User.Password != password) {
			t.Fatalf("%#v became %#v", n, u)
		}
	})
}

// FuzzJoinPath checks that JoinPath keeps the server and the login of its base.
func FuzzJoinPath(f *testing.F) {
	f.Add("http://u:p@h.dom/a", "../b?c#d", "//e")
	f.Add("gopher://h.dom/1/a", "%", "\r\n")
	f.Fuzz(func(t *testing.T, s, a, b string) {
		u, err := url.Parse(s)
		if err != nil {
			return
		}
		got, err := u.JoinPath(a, b)
		if err != nil {
			return
		}
		checkRoundTrip(t, got)
		if !got.SameOrigin(u) || !reflect.DeepEqual(got.User, u.User) || got.Slashes != u.Slashes || got.Query != u.Query || got.Fragment != u.Fragment {
			t.Fatalf("%q + %q + %q is %q", s, a, b, got)
		}
	})
}
