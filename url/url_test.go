package url_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// Each row is a text and the String of its URL.
func TestParseAndString(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"http://h.dom/", ""},
		{"http://h.dom", ""},
		{"http://h.dom/p?", ""},
		{"http://h.dom/p?a/b?c#f", ""},
		{"http://h.dom?q", ""},
		{"http://h.dom/#", ""},
		{"HTTP://H.DOM/A", "http://h.dom/A"},
		{"http://h.dom:/", "http://h.dom/"},
		{"http://h.dom:0080/", "http://h.dom:80/"},
		{"http://[::1]:8080/", ""},
		{"http://[FE80::1%25eth0]/", "http://[fe80::1%25eth0]/"},
		{"http://a_b.dom./", ""},
		{"http://h.dom/a b<c>", "http://h.dom/a%20b%3Cc%3E"},
		{"ftp://h.dom/caf\xc3\xa9", "ftp://h.dom/caf%C3%A9"},
		{"ftp://h.dom/{a}|b\\c^d[e]`\"", "ftp://h.dom/%7Ba%7D%7Cb%5Cc%5Ed%5Be%5D%60%22"},
		{"http://h.dom/~joe/%7ejoe", ""},
		{"ftp://@h.dom/", ""},
		{"ftp://u:@h.dom/", ""},
		{"ftp://:pw@h.dom/", ""},
		{"ftp://u%40v:p%3Aq%2Fr@h.dom/", ""},
		{"ftp://u:p:q@h.dom/", "ftp://u:p%3Aq@h.dom/"},
		{"ftp://a;b&c=d:p@h.dom/", "ftp://a%3Bb%26c%3Dd:p@h.dom/"},
		{"ftp://h.dom/a?b#c", ""},
		{"http://h.dom/x#a#b", "http://h.dom/x#a%23b"},
		{"file:/etc/motd", "file:///etc/motd"},
		{"file:///a?b", ""},
		{"news:a:b@h.dom", ""},
		{"news://n.dom/comp.lang.c", ""},
		{"mailto:a@b.dom?subject=x", ""},
		{"foo:any/thing?;x", ""},
		{"x-y.z+1:foo", ""},
		{"magic://a/b/c//d/e/f", ""},
		{"magic:///b", ""},
	} {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		want := c.want
		if want == "" {
			want = c.in
		}
		if got := u.String(); got != want {
			t.Errorf("Parse(%q) = %q, want %q", c.in, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "empty"},
		{"ftp.example.com/x", "no scheme"},
		{":x", "bad scheme (at byte 0)"},
		{"a_b:x", "bad scheme (at byte 1)"},
		{"3com:x", "bad scheme"},
		{"%66tp://h.dom/", "bad scheme"},
		{"http://h.dom/%zz", "bad escape"},
		{"http://h.dom/%4", "bad escape"},
		{"http://h.dom/?%", "bad escape"},
		{"news:12345667123%asdghfh@info.cern.ch", "bad escape"},
		{"fxqn:/us/va/asdf%*.fred", "bad escape"},
		{"http://h.dom/a\x01b", "control character 0x01 (at byte 14)"},
		{"http://h.dom/a\r\nb", "control character 0x0d"},
		{" http://h.dom/", "white space around it"},
		{"http:h", `no "//"`},
		{"ftp:%2F%2Fh.dom/x", `no "//"`},
		{"ftp:///x", "no host (at byte 6)"},
		{"http://:80/", "no host"},
		{"ftp://u:p@q@h.dom/", `a second "@" (at byte 11)`},
		{"http://good.test\\@evil.test/", "backslash before the path"},
		{"http://evil.test\\.good.test/", "backslash before the path"},
		{"http://evil.test?@good.test/", `"?" before the path`},
		{"ftp://a?b:p@h.dom/", `"?" before the path`},
		{"ftp://h.dom?x", `"?" before the path`},
		{"gopher://u@h.dom/", "gopher URLs name no user"},
		{"http://-a.dom/", `begins or ends with "-"`},
		{"http://a..dom/", "empty label"},
		{"http://./", "empty label"},
		{"http://%65xample.com/", `bad host: '%' in it (at byte 7)`},
		{"http://h.dom%00.evil.test/", "bad host"},
		{"http://g\xd0\xbe\xd0\xbed.test/", "not ASCII"},
		{"ftp://h.dom;type=a", "bad host: ';'"},
		{"http://127.1/", "bad address"},
		{"http://2130706433/", "bad address"},
		{"http://0x7f000001/", "bad address"},
		{"http://0177.0.0.1/", "bad address"},
		{"http://010.0.0.1/", "bad address"},
		{"http://256.1.1.1/", "bad address"},
		{"http://1.2.3.4./", "bad address"},
		{"http://[::1/", `"[" without "]"`},
		{"http://[::1]x/", `expected ":"`},
		{"http://[1.2.3.4]/", "bad IPv6 address"},
		{"http://h.dom:8x/", "bad port"},
		{"http://h.dom:81:80/", "bad port"},
		{"http://h.dom:65616/", "bad port"},
		{"http://h.dom:0/", "bad port"},
		{"http://" + strings.Repeat("a", 100000) + "/", "longer than a name can be"},
	} {
		_, err := url.Parse(c.in)
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("Parse(%.60q): error %v, want an *Error", c.in, err)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%.60q): error %q, want %q", c.in, err, c.want)
		}
	}
}

func TestUserAndPasswordArePresentEmptyOrAbsent(t *testing.T) {
	for _, c := range []struct {
		in   string
		want *url.Userinfo
	}{
		{"ftp://h.dom/", nil},
		{"ftp://@h.dom/", &url.Userinfo{}},
		{"ftp://u@h.dom/", &url.Userinfo{Name: "u"}},
		{"ftp://u:@h.dom/", &url.Userinfo{Name: "u", PasswordSet: true}},
		{"ftp://:p%25@h.dom/", &url.Userinfo{Password: "p%", PasswordSet: true}},
	} {
		u, err := url.Parse(c.in)
		if err != nil || !reflect.DeepEqual(u.User, c.want) {
			t.Errorf("Parse(%q).User = %+v, %v; want %+v", c.in, u.User, err, c.want)
		}
	}
}

func TestFTP(t *testing.T) {
	for _, c := range []struct {
		in   string
		cwd  []string
		name string
		code url.Typecode
	}{
		{"ftp://h.dom", nil, "", 0},
		{"ftp://h.dom/", nil, "", 0},
		{"ftp://h.dom/a/b/c;type=i", []string{"a", "b"}, "c", 'i'},
		{"ftp://h.dom/F;TYPE=A", nil, "F", 'a'},
		{"ftp://h.dom/pub/;type=d", []string{"pub"}, "", 'd'},
		{"ftp://host.dom/%2Fetc/motd", []string{"/etc"}, "motd", 0},
		{"ftp://host.dom/etc/motd", []string{"etc"}, "motd", 0},
		{"ftp://host.dom//etc/motd", []string{"", "etc"}, "motd", 0},
		{"ftp://h.dom/a%2Fb/c%25", []string{"a/b"}, "c%", 0},
		{"ftp://h.dom/a/../b", []string{"a", ".."}, "b", 0},
		{"ftp://h.dom/a%3Btype%3Da;type=i", nil, "a;type=a", 'i'},
		{"ftp://h.dom/f.txt;3", nil, "f.txt;3", 0},
		{"ftp://h.dom/a?b:c@d&e=f", nil, "a?b:c@d&e=f", 0},
		{"ftp://h.dom/%2541+%ff", nil, "%41+\xff", 0},
	} {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		f, err := u.FTP()
		if err != nil || strings.Join(f.CWD, "|") != strings.Join(c.cwd, "|") || len(f.CWD) != len(c.cwd) || f.Name != c.name || f.Type != c.code {
			t.Errorf("%q: CWD %q, name %q, type %q, error %v; want %q, %q, %q", c.in, f.CWD, f.Name, f.Type, err, c.cwd, c.name, c.code)
			continue
		}
		again, err := f.URL().FTP()
		if err != nil || again.Name != f.Name || strings.Join(again.CWD, "|") != strings.Join(f.CWD, "|") || again.Type != f.Type {
			t.Errorf("%q: rebuilt as %q, which means %+v, %v", c.in, f.URL(), again, err)
		}
	}
	for in, want := range map[string]string{
		"ftp://h.dom/f;type=x":             "unknown type code",
		"ftp://h.dom/f;type=":              "unknown type code",
		"ftp://h.dom/f;type=L8":            "unknown type code",
		"ftp://h.dom/a%0D%0ADELE%20b":      "CR, LF or NUL in the path",
		"ftp://h.dom/a%0a/b":               "CR, LF or NUL in the path",
		"ftp://h.dom/a%00":                 "CR, LF or NUL in the path",
		"ftp://u%0Ax:p@h.dom/":             "CR, LF or NUL in the user",
		"ftp://u:p%0d%0aDELE%20x@h.dom/":   "CR, LF or NUL in the user",
		"ftp://h.dom/f;type=%0d%0aDELE%20": "unknown type code",
		"http://h.dom/f":                   "not an ftp URL",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		if _, err := u.FTP(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("FTP of %q: error %v, want %q", in, err, want)
		}
	}
}

func TestHTTP(t *testing.T) {
	for in, want := range map[string]string{
		"http://h.dom":                    "/",
		"http://h.dom?q":                  "/?q",
		"http://h.dom/a%2Fb%20c?x%26y#f":  "/a%2Fb%20c?x%26y",
		"http://h.dom/p;v=1?q":            "/p;v=1?q",
		"http://h.dom/a@b&c//d/../e?":     "/a@b&c//d/../e?",
		"https://h.dom/a b<c>?d e":        "/a%20b%3Cc%3E?d%20e",
		"http://h.dom/a%0D%0AX-Inj:%201?": "/a%0D%0AX-Inj:%201?",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Errorf("Parse(%q): %v", in, err)
			continue
		}
		h, err := u.HTTP()
		if err != nil || h.Target != want {
			t.Errorf("%q: target %q, %v; want %q", in, h.Target, err, want)
		}
		if again, err := h.URL().HTTP(); err != nil || !reflect.DeepEqual(again, h) {
			t.Errorf("%q: rebuilt as %q", in, h.URL())
		}
	}
}

func TestFile(t *testing.T) {
	for _, c := range []struct{ in, host, path string }{
		{"file:///etc/motd", "", "/etc/motd"},
		{"file:/etc/motd", "", "/etc/motd"},
		{"file://LOCALHOST/a/b%20c", "", "/a/b c"},
		{"file:///a?b", "", "/a?b"},
		{"file:///x;type=a", "", "/x;type=a"},
		{"file://etc/motd", "etc", "/motd"},
		{"file://", "", "/"},
		{"file:///a%23b/", "", "/a#b/"},
	} {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		f, err := u.File()
		if err != nil || f.Host != c.host || f.Path != c.path {
			t.Errorf("%q: %+v, %v", c.in, f, err)
		}
		if again, err := f.URL().File(); err != nil || again != f {
			t.Errorf("%q: rebuilt as %q", c.in, f.URL())
		}
	}
	for _, in := range []string{"file:///a%2Fb", "file:///a%00b", "file://h.dom:80/x", "ftp://h.dom/x"} {
		if u, err := url.Parse(in); err != nil {
			t.Errorf("Parse(%q): %v", in, err)
		} else if f, err := u.File(); err == nil {
			t.Errorf("%q: %+v, want an error", in, f)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, c := range []struct{ base, ref, want string }{
		// RFC 1630, partial form
		{"magic://a/b/c//d/e/f", "g:h", "g:h"},
		{"magic://a/b/c//d/e/f", "g", "magic://a/b/c//d/e/g"},
		{"magic://a/b/c//d/e/f", "/g", "magic://a/g"},
		{"magic://a/b/c//d/e/f", "//g", "magic://g"},
		{"magic://a/b/c//d/e/f", "../g", "magic://a/b/c//d/g"},
		{"magic://a/b/c//d/e/", "g", "magic://a/b/c//d/e/g"},
		{"magic://a/b/c//d/e/f", "../../../g", "magic://a/b/c/g"},
		// RFC 3986, section 5.4
		{"http://a/b/c/d;p?q", "g?y", "http://a/b/c/g?y"},
		{"http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"},
		{"http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"},
		{"http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"},
		{"http://a/b/c/d;p?q#f", "", "http://a/b/c/d;p?q"},
		{"http://a/b/c/d;p?q", "./", "http://a/b/c/"},
		{"http://a/b/c/d;p?q", "..", "http://a/b/"},
		{"http://a/b/c/d;p?q", "../../../../g", "http://a/g"},
		{"http://a/b/c/d;p?q", "/./g", "http://a/g"},
		{"http://a/b/c/d;p?q", "g.", "http://a/b/c/g."},
		{"http://a/b/c/d;p?q", "..g", "http://a/b/c/..g"},
		{"http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"},
		{"http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y"},
		{"http://a/b/c/d;p?q", "g?y/../x", "http://a/b/c/g?y/../x"},
		{"http://a/b/c/d;p?q", "http:g", ""},
		{"http://a/b/c/d;p?q", "///g", ""},
		{"http://a/x/y", "%2E%2E/g", "http://a/x/%2E%2E/g"},
		{"http://a", "g", "http://a/g"},
		{"http://a/b", "/.hidden", "http://a/.hidden"},
		{"http://a/b", "/a b", "http://a/a%20b"},
		{"http://a/b", "/a\nb", ""},
		{"http://u:p@a/b", "c", "http://u:p@a/c"},
		{"http://u:p@a/b", "//c/", "http://c/"},
		{"ftp://h.dom/a/b;type=d", "c", "ftp://h.dom/a/c"},
		{"ftp://h.dom/a/b", "c?d", "ftp://h.dom/a/c?d"},
	} {
		base, err := url.Parse(c.base)
		if err != nil {
			t.Fatal(err)
		}
		got, err := base.Resolve(c.ref)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s + %q = %s, want an error", c.base, c.ref, got)
		case c.want != "" && (err != nil || got.String() != c.want):
			t.Errorf("%s + %q = %v, %v; want %s", c.base, c.ref, got, err, c.want)
		}
	}
}

func TestAddrAndSameOrigin(t *testing.T) {
	for in, want := range map[string]string{
		"http://h.dom/":      "h.dom:80",
		"https://h.dom:444/": "h.dom:444",
		"ftp://[::1]/":       "[::1]:21",
		"gopher://h.dom/":    "h.dom:70",
		"foo://h.dom/":       "h.dom:0",
		"file:///x":          "",
	} {
		u, err := url.Parse(in)
		if err != nil || u.Addr() != want {
			t.Errorf("Addr of %q is %q, %v; want %q", in, u.Addr(), err, want)
		}
	}
	a, _ := url.Parse("http://u@H.dom/a")
	for in, want := range map[string]bool{
		"http://h.dom:80/b": true, "https://h.dom/": false, "http://h.dom:81/": false, "http://x.h.dom/": false,
	} {
		if b, _ := url.Parse(in); a.SameOrigin(b) != want {
			t.Errorf("SameOrigin(%s, %s) is not %v", a, b, want)
		}
	}
}

func TestUnwrap(t *testing.T) {
	for in, want := range map[string]string{
		"<URL:ftp://h.dom/x>":                             "ftp://h.dom/x",
		"<http://h.dom/>":                                 "http://h.dom/",
		"url:ftp://h.dom/x":                               "ftp://h.dom/x",
		"<URL: http://h.dom/>":                            "http://h.dom/",
		"<URL:ftp://info.cern.ch/doc;\n      type=d>":     "ftp://info.cern.ch/doc;type=d",
		"<URL:ftp://ds.in\n      ternic.net/rfc>":         "ftp://ds.internic.net/rfc",
		" http://h.dom/ \n":                               "http://h.dom/",
		"<URL:http://h.dom/a%20b>":                        "http://h.dom/a%20b",
		"<URL:http://ds.internic.\n  net/o.html#WARNING>": "http://ds.internic.net/o.html#WARNING",
	} {
		if got := url.Unwrap(in); got != want {
			t.Errorf("Unwrap(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRedact(t *testing.T) {
	for in, want := range map[string]string{
		"ftp://u:p@h/%zz":      "ftp://u:***@h/%zz",
		"ftp://u:p@q@h/%zz":    "ftp://u:***@h/%zz",
		"u:p@h/x":              "u:***@h/x",
		"http://h/a:b":         "http://h/a:b",
		"ftp://u:p/q@h\x01/":   "ftp://u:***@h\x01/",
		"ftp://user@h/%zz":     "ftp://user@h/%zz",
		"no secret here: none": "no secret here: none",

		"u:p@h//x":                   "u:***@h//x",
		"u:p//q@h/":                  "u:***@h/",
		"u:p@h/?x=http://y/":         "u:***@h/?x=http://y/",
		"http//u:p@h/":               "http//u:***@h/",
		"0; url=http://u:p@h/":       "0; url=http://u:***@h/",
		"http://u:@p%40h/":           "http://u:***%40h/",
		"http://u:p@h/%40":           "http://u:***@h/%40",
		"http://u:p＠h/":              "http://u:***＠h/",
		"http://u:p﹫h/":              "http://u:***﹫h/",
		"http://u：p＠h/":              "http://u：***＠h/",
		"http：／／u：p＠h":               "http：***＠h",
		"http://u:p%40h/":            "http://u:***%40h/",
		"http://u%3Ap%40h/":          "http://u%3A***%40h/",
		"u:p%EF%BC%A0h/x":            "u:***%EF%BC%A0h/x",
		"http://u:p@q＠h/":            "http://u:***＠h/",
		"http://u:p＠q@h/":            "http://u:***@h/",
		"http://u:p h/":              "http://u:***/",
		"http://u:p/h":               "http://u:***/h",
		"http://u:p/q%40h":           "http://u:***%40h",
		"http:u:p@h":                 "http:***@h",
		`http:\\u:p@h\x`:             `http:***@h\x`,
		"http://h:99999/":            "http://h:99999/",
		"http://h:/":                 "http://h:/",
		"http://h:8080/x?u=a%40b":    "http://h:8080/x?u=a%40b",
		"http://h/x?t=1:2%403":       "http://h/x?t=1:2%403",
		"http://[::1]:8080/%zz":      "http://[::1]:8080/%zz",
		"http://[::1]/%zz":           "http://[::1]/%zz",
		"http://[::1]:p/":            "http://[::1]:***/",
		"http://[u:p/":               "http://[u:***/",
		"http://":                    "http://",
		"<https://h/a>; rel=\"a:b\"": "<https://h/a>; rel=\"a:b\"",
	} {
		if got := url.Redact(in); got != want {
			t.Errorf("Redact(%q) = %q, want %q", in, got, want)
		}
	}
}

// A password typed into the user name is no password to the grammar, and yet is masked.
func TestRedactedUserName(t *testing.T) {
	for in, want := range map[string]string{
		"http://u：p@h/":   "http://u:***@h/",
		"ftp://u%3Ap@h/":  "ftp://u:***@h/",
		"ftp://u%3Av:p@h": "ftp://u%3Av:***@h",
		"foo:u:p＠h":       "foo:***%EF%BC%A0h",

		"http://http://u:p@127.0.0.1:9/":       "http://http//u:***@127.0.0.1:9/",
		"http://https://u:p@127.0.0.1:9/":      "http://https//u:***@127.0.0.1:9/",
		"http://127.0.0.1:9//u:p@127.0.0.1:9/": "http://127.0.0.1:***@127.0.0.1:9/",
		"ftp://u@h/":                           "ftp://u@h/",
	} {
		u, err := url.Parse(in)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Redacted(); got != want {
			t.Errorf("%s is shown as %s, want %s", in, got, want)
		}
	}
}

func TestWindowsDevice(t *testing.T) {
	for _, name := range []string{"CON", "con", "nul.txt", "Aux .tar.gz", "prn", "com1", "LPT9.log", "COM\u00B9", "lpt\u00B3.x", "CONIN$", "conout$", "com0"} {
		if !url.WindowsDevice(name) {
			t.Errorf("%q is a device", name)
		}
	}
	for _, name := range []string{"", ".con", "CONS", "com", "com10", "COMA", "lpt ", "null", "a.con", "conin", "com 1", "com\u2074"} {
		if url.WindowsDevice(name) {
			t.Errorf("%q is no device", name)
		}
	}
}

// A way to log in is part of the name in a scheme that has it, and of no other.
func TestLoginName(t *testing.T) {
	for text, want := range map[string]string{
		"dict://joe;AUTH@h.dom/": "joe", "dict://joe@h.dom/": "joe", "dict://h.dom/": "", "ftp://joe;x@h.dom/": "joe;x",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.LoginName(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
