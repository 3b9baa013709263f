package url_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

var (
	spartan = url.Scheme{Name: "spartan", Names: "a page on a Spartan server", Port: 300, Ports: []uint16{3000}, Authority: url.Required, Query: true, Hierarchical: true}
	cards   = url.Scheme{Name: "x-card", Names: "a card of a catalogue", Authority: url.Never}
	fixed   = url.Scheme{Name: "x.fixed", Names: "a thing at one port", Port: 99, FixedPort: true, Authority: url.Required, User: true}
)

func syntax(t *testing.T, more ...url.Scheme) *url.Syntax {
	t.Helper()
	x, err := url.NewSyntax(more...)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// A URL of an added scheme is parsed by the rules of that scheme, and its text is unchanged.
func TestSyntaxParse(t *testing.T) {
	x := syntax(t, spartan, cards, fixed)
	for _, c := range []struct{ in, addr, path, query, fault string }{
		{"SPARTAN://H.dom/a?b#c", "h.dom:300", "/a", "?b", ""},
		{"spartan://h.dom:301/a", "h.dom:301", "/a", "", ""},
		{"spartan://[::1]", "[::1]:300", "", "", ""},
		{"spartan:/a", "", "", "", `no "//"`},
		{"spartan:///a", "", "", "", "no host"},
		{"spartan://u@h/", "", "", "", "spartan URLs name no user"},
		{"spartan://h/%zz", "", "", "", "bad escape"},
		{"x-card:a?b", "", "a?b", "", ""},
		{"x-card://a/b", "", "//a/b", "", ""},
		{"x.fixed://u:p@h/?a", "h:99", "/?a", "", ""},
		{"x-other://u@h/a?b", "h:0", "/a", "?b", ""}, // unknown in this Syntax too
		{"gopher://h/a?b", "h:70", "/a?b", "", ""},
		{"ftp://h/a?b", "h:21", "/a?b", "", ""},
	} {
		u, err := x.Parse(c.in)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%s: error %v, want %q", c.in, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if u.Addr() != c.addr || u.Path != c.path || u.Query != c.query || u.Syntax() != x {
			t.Errorf("%s: address %q, path %q, query %q", c.in, u.Addr(), u.Path, u.Query)
		}
		if again, err := x.Parse(u.String()); err != nil || again.String() != u.String() {
			t.Errorf("%s: again it is %v, %v", c.in, again, err)
		}
	}
}

// Resolve returns URLs with the Syntax of the base.
func TestSyntaxResolve(t *testing.T) {
	x := syntax(t, spartan, cards)
	for _, c := range []struct{ base, ref, want, addr string }{
		{"spartan://h/a/b?q", "../c?d", "spartan://h/c?d", "h:300"},
		{"spartan://h/a/b", "./../../../c", "spartan://h/c", "h:300"},
		{"spartan://h/a/b?q", "?r", "spartan://h/a/b?r", "h:300"},
		{"spartan://h", "a", "spartan://h/a", "h:300"},
		{"spartan://h/a", "//other/b", "spartan://other/b", "other:300"},
		{"http://h/a", "spartan://other/b/../c", "spartan://other/c", "other:300"},
		{"spartan://h/a", "ftp://other/b", "ftp://other/b", "other:21"},
		{"x-card:a", "b", "", ""},
		{"http://h/", "spartan://u@h/", "", ""},
	} {
		base, err := x.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		u, err := base.Resolve(c.ref)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s in %s: %v, want an error", c.ref, c.base, u)
			}
			continue
		}
		if err != nil || u.String() != c.want || u.Addr() != c.addr {
			t.Errorf("%s in %s: %v, %v, want %s", c.ref, c.base, u, err, c.want)
		}
	}
}

// Different spellings of a URL are equal if the rules of its scheme say so.
func TestSyntaxCanonical(t *testing.T) {
	x := syntax(t, spartan, cards, fixed)
	for in, want := range map[string]string{
		"spartan://h:300/%7ea%2f%2c": "spartan://h/~a%2F%2C",
		"spartan://h":                "spartan://h/",
		"spartan://h:301?a":          "spartan://h:301/?a",
		"x.fixed://h":                "x.fixed://h",
		"x-card:%61":                 "x-card:a",
	} {
		u, err := x.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Canonical().String(); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	a, _ := x.Parse("spartan://h:300/")
	b, _ := x.Parse("spartan://h")
	if !a.Equal(b) || !a.SameOrigin(b) {
		t.Errorf("%v and %v differ", a, b)
	}
}

func TestSyntaxPorts(t *testing.T) {
	x := syntax(t, spartan, fixed)
	for in, want := range map[string]struct{ own, fixed bool }{
		"spartan://h/":      {true, false},
		"spartan://h:3000/": {true, false},
		"spartan://h:25/":   {false, false},
		"x.fixed://h:99":    {true, true},
		"x.fixed://h:98":    {false, true},
		"x-other://h":       {false, false},
		"ftp://h:990/":      {true, false},
		"ftp://h:25/":       {false, false},
		"finger://h:79/":    {true, true},
		"dict://h:2628/":    {true, false},
		"tftp://h:69/":      {true, false},
	} {
		u, err := x.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if u.OwnPort() != want.own || u.FixedPort() != want.fixed {
			t.Errorf("%s: own port %v, fixed port %v", in, u.OwnPort(), u.FixedPort())
		}
	}
}

// An added scheme is known in one Syntax only.
func TestSyntaxIsAValue(t *testing.T) {
	ports := []uint16{300}
	s := spartan
	s.Ports = ports
	x := syntax(t, s)
	ports[0] = 25
	for name, parse := range map[string]func(string) (*url.URL, error){
		"the function Parse": url.Parse,
		"a nil Syntax":       (*url.Syntax)(nil).Parse,
		"another Syntax":     syntax(t, cards).Parse,
	} {
		u, err := parse("spartan://u@h/")
		if err != nil || u.Addr() != "h:0" {
			t.Errorf("%s: %v, %v", name, u, err)
		}
	}
	u, err := x.Parse("spartan://h:25/")
	if err != nil || u.OwnPort() {
		t.Errorf("%v: a later change of Ports shows (%v)", u, err)
	}
	if got := strings.Join(syntax(t, spartan, cards).Schemes(), " "); got != "spartan x-card" {
		t.Errorf("schemes %s", got)
	}
}

// Redacted masks the password in a URL of an added scheme, even if the scheme has no passwords.
func TestSyntaxRedacted(t *testing.T) {
	loose := url.Scheme{Name: "x-loose", Names: "a thing with a server or without", User: true}
	x := syntax(t, fixed, cards, loose)
	for in, want := range map[string]string{
		"x-loose:u:secret@h/a":    "x-loose:u:***@h/a", // without "//"
		"x-loose:/u:secret@h/a":   "x-loose:/u:***@h/a",
		"x-loose://u:secret@h/a":  "x-loose://u:***@h/a",
		"x-loose:u:%73ecret%40h":  "x-loose:u:***%40h",
		"x-loose:///u:secret@h/a": "x-loose:///u:***@h/a",
		"x-other:///u:secret@h/a": "x-other:///u:***@h/a", // of an unknown scheme
		"x-loose:///a/b:c":        "x-loose:///a/b:c",
		"x-loose:a/b":             "x-loose:a/b",
		"x-loose:me@h":            "x-loose:me@h",
		"x.fixed://u:secret@h/":   "x.fixed://u:***@h/",
		"x-card://u:secret@h/":    "x-card://u:***@h/",
		"x.fixed://h/a:b@c":       "x.fixed://h/a:b@c",
		"x-card:a:no-password@me": "x-card:a:no-password@me",
	} {
		u, err := x.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Redacted(); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestNewSyntaxRefuses(t *testing.T) {
	for name, more := range map[string][]url.Scheme{
		"a scheme of the package":  {{Name: "ftp", Names: "a file"}},
		"a reserved scheme":        {{Name: "nfs", Names: "a file"}},
		"a scheme given twice":     {spartan, spartan},
		"no name":                  {{Names: "a file"}},
		"no scheme":                {{Name: "a:b", Names: "a file"}},
		"a digit at the beginning": {{Name: "9p", Names: "a file"}},
		"upper case":               {{Name: "Spartan", Names: "a page"}},
		"no words":                 {{Name: "spartan"}},
	} {
		x, err := url.NewSyntax(more...)
		var malformed *url.Error
		if x != nil || !errors.As(err, &malformed) {
			t.Errorf("%s: %v, %v", name, x, err)
		}
	}
}

// FuzzSyntax checks, for schemes with many rules, that a URL survives a round trip.
func FuzzSyntax(f *testing.F) {
	for _, rest := range []string{"//h/a?b#c", "//u:p@h:1/", "a", "//h?a@b", "//[::1]/", "/a/../b"} {
		f.Add(rest, uint8(1), true, true, true)
		f.Add(rest, uint8(0), false, false, false)
		f.Add(rest, uint8(2), false, true, false)
	}
	f.Fuzz(func(t *testing.T, rest string, rule uint8, user, query, hierarchical bool) {
		x := syntax(t, url.Scheme{Name: "x-a", Names: "a thing", Port: 7, Authority: url.Rule(rule % 3), User: user, Query: query, Hierarchical: hierarchical})
		u, err := x.Parse("x-a:" + rest)
		if err != nil {
			return
		}
		again, err := x.Parse(u.String())
		if err != nil || again.String() != u.String() || again.Addr() != u.Addr() {
			t.Errorf("%q is %q, and then %v, %v", rest, u, again, err)
		}
		canonical := u.Canonical()
		if once, err := x.Parse(canonical.String()); err != nil || once.Canonical().String() != canonical.String() {
			t.Errorf("%q is canonically %q, and then %v, %v", rest, canonical, once, err)
		}
	})
}

// Read applies the rules of the Syntax to a URL that was parsed without it.
func TestSyntaxRead(t *testing.T) {
	x, y := syntax(t, spartan), syntax(t, spartan, cards)
	for text, want := range map[string]string{
		"spartan://h/a?b": "h:300",
		"spartan://u@h/":  "", // the scheme has no users
		"http://u:p@h/":   "h:80",
		"x-card:a":        "",
		"x-other://u@h/a": "h:0",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := x.Read(u)
		if text == "spartan://u@h/" {
			if !errors.Is(err, url.ErrMalformed) {
				t.Errorf("%s: %v, %v", text, v, err)
			}
			continue
		}
		if err != nil || v.Addr() != want || v.String() != u.String() || (v == u) != (u.Scheme != "spartan") {
			t.Errorf("%s: %v, %v", text, v, err)
		}
		if same, err := (*url.Syntax)(nil).Read(u); same != u || err != nil {
			t.Errorf("%s by no Syntax: %v, %v", text, same, err)
		}
	}
	u, err := y.Parse("spartan://h/")
	if err != nil {
		t.Fatal(err)
	}
	if v, err := x.Read(u); v != u || err != nil {
		t.Errorf("one that another Syntax knows: %v, %v", v, err)
	}
	if v, err := x.Read(nil); v != nil || err != nil {
		t.Errorf("nil: %v, %v", v, err)
	}
}

// A URL of an added scheme has children if the scheme is hierarchical.
func TestSyntaxTree(t *testing.T) {
	flat := url.Scheme{Name: "x-flat", Names: "a record", Authority: url.Required}
	x := syntax(t, spartan, flat)
	parse := func(text string) *url.URL {
		t.Helper()
		u, err := x.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	dir := parse("spartan://h/a?q").Directory()
	child, err := dir.Child("b c")
	if err != nil || child.String() != "spartan://h/a/b%20c" || child.Syntax() != x {
		t.Errorf("a child: %v, %v", child, err)
	}
	if !dir.Hierarchical() || !dir.Holds(child) || dir.Holds(parse("spartan://h/b")) || dir.Holds(parse("spartan://h/a/%2e%2e/b")) {
		t.Errorf("%v does not hold what is below it, or holds more", dir)
	}
	record := parse("x-flat://h/a")
	if _, err := record.Child("b"); err == nil || record.Hierarchical() {
		t.Errorf("%v has a child", record)
	}
}

// A URL of an added scheme survives ToNet and FromNet of its Syntax.
func TestSyntaxNet(t *testing.T) {
	x := syntax(t, spartan)
	u, err := x.Parse("spartan://h/a%2Fb?q")
	if err != nil {
		t.Fatal(err)
	}
	n, err := u.ToNet()
	if err != nil || n.RawQuery != "q" {
		t.Fatalf("%v, %v", n, err)
	}
	back, err := x.FromNet(n)
	if err != nil || back.String() != u.String() || back.Addr() != "h:300" {
		t.Errorf("%v, %v", back, err)
	}
}
