package url_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// addRows seeds f with the operands of the tables.
func addRows(f *testing.F) {
	for _, r := range readTables(f) {
		f.Add(r.args[0])
	}
}

// FuzzParse checks each URL that Parse accepts. The URL survives a round trip and shows no
// password; the method for its scheme refuses it, or returns parts that a client can send and that
// survive a round trip too.
func FuzzParse(f *testing.F) {
	addRows(f)
	f.Fuzz(func(t *testing.T, s string) {
		url.Redact(s)
		u, err := url.Parse(s)
		if err != nil {
			if _, err := url.ParseStrict(s); err == nil {
				t.Fatalf("ParseStrict accepts %q, which Parse refuses", s)
			}
			return
		}
		checkRoundTrip(t, u)
		if strict, err := url.ParseStrict(s); err == nil && !reflect.DeepEqual(u, strict) {
			t.Fatalf("%q: ParseStrict says %#v, Parse %#v", s, strict, u)
		}
		who := url.URL{Scheme: u.Scheme, Slashes: u.Slashes, Authority: u.Authority}
		if p := u.User; p != nil && p.PasswordSet && !strings.Contains(who.Redacted(), ":***@") {
			t.Fatalf("%q: the password shows in %q", s, who.Redacted())
		}
		if _, _, err := read(u); err == nil {
			checkSendable(t, u)
			if _, err := view(u); err != nil {
				t.Fatalf("%q: %v", s, err)
			}
		}
	})
}

// checkRoundTrip fails unless Parse of u.String returns u.
func checkRoundTrip(t *testing.T, u *url.URL) {
	t.Helper()
	v, err := url.Parse(u.String())
	if err != nil || !reflect.DeepEqual(u, v) {
		t.Fatalf("%q: %#v became %#v, %v", u, u, v, err)
	}
}

// checkSendable fails if a part of u that a protocol sends decoded, in a line, contains CR, LF or
// NUL.
func checkSendable(t *testing.T, u *url.URL) {
	t.Helper()
	var sent []string
	switch u.Scheme {
	case "ftp", "ftps":
		f, _ := u.FTP()
		sent = append(f.CWD, f.Name)
	case "gopher", "gophers":
		g, _ := u.Gopher()
		sent = []string{g.Selector, g.Search, g.Plus}
		if strings.Contains(g.Selector+g.Search, "\t") {
			t.Fatalf("%q: TAB in %+v", u, g)
		}
	case "news", "snews", "nntp", "nntps":
		n, _ := u.News()
		sent = []string{n.Group, n.Wildmat, n.MessageID}
		if strings.Contains(strings.Join(sent, ""), " ") {
			t.Fatalf("%q: a blank in %+v", u, n)
		}
	case "wais":
		w, _ := u.WAIS()
		sent = []string{w.Database, w.Search, w.WType}
	case "z39.50r", "z39.50s":
		z, _ := u.Z3950()
		sent = append(append(z.Databases, z.Syntaxes...), z.ElementSet)
	case "prospero":
		p, _ := u.Prospero()
		sent = append(fields(p.Fields), p.HSOName)
	case "tftp":
		f, _ := u.TFTP()
		sent = []string{f.File}
	case "dict":
		d, _ := u.Dict()
		sent = []string{d.Word, d.Database, d.Strategy, d.Mechanism}
	case "file":
		f, _ := u.File()
		if strings.Contains(f.Path, "\x00") {
			t.Fatalf("%q: NUL in %+v", u, f)
		}
	}
	switch u.Scheme {
	case "ftp", "ftps", "telnet", "telnets", "rlogin", "tn3270", "news", "snews", "nntp", "nntps", "dict", "z39.50r", "z39.50s":
		if u.User != nil {
			sent = append(sent, u.User.Name, u.User.Password)
		}
	}
	if strings.ContainsAny(strings.Join(sent, ""), "\r\n\x00") {
		t.Fatalf("%q: not to be sent: %q", u, sent)
	}
}

// FuzzCanonical checks that Canonical is idempotent, that the result means the same as the URL, and
// that both are equal.
func FuzzCanonical(f *testing.F) {
	addRows(f)
	f.Fuzz(func(t *testing.T, s string) {
		u, err := url.Parse(s)
		if err != nil {
			return
		}
		c := u.Canonical()
		checkRoundTrip(t, c)
		if again := c.Canonical(); !reflect.DeepEqual(c, again) {
			t.Fatalf("%q: %q became %q", u, c, again)
		}
		if !u.Equal(c) || !u.Equal(u) {
			t.Fatalf("%q is not equal to %q", u, c)
		}
		before, _, err := read(u)
		after, _, errAfter := read(c)
		if (err == nil) != (errAfter == nil) {
			t.Fatalf("%q: %v, but %q: %v", u, err, c, errAfter)
		}
		if u.Scheme == "http" || u.Scheme == "https" || u.Scheme == "gemini" || u.Scheme == "urn" {
			return // these parts are not decoded, so their escapes may change
		}
		leftOut := func(part string) bool {
			return part == fmt.Sprint("port=", url.DefaultPort(u.Scheme)) || u.Scheme == "wais" && strings.HasPrefix(part, "length=")
		}
		if err == nil && !slices.Equal(slices.DeleteFunc(before, leftOut), after) {
			t.Fatalf("%q means %q, but %q means %q", u, before, c, after)
		}
	})
}

// FuzzResolve checks that results survive a round trip. A reference without a host keeps the server
// of the base, and an absolute reference keeps its own.
func FuzzResolve(f *testing.F) {
	for _, r := range readTables(f) {
		if r.verb == "resolve" {
			f.Add(r.args[0], r.args[1])
		}
	}
	f.Fuzz(func(t *testing.T, s, ref string) {
		base, err := url.Parse(s)
		if err != nil {
			return
		}
		u, err := base.Resolve(ref)
		if err != nil {
			return
		}
		checkRoundTrip(t, u)
		if v, err := url.Parse(ref); err == nil {
			if !u.SameOrigin(v) || !reflect.DeepEqual(u.User, v.User) {
				t.Fatalf("%q + %q is %q", base, ref, u)
			}
			return
		}
		if !strings.HasPrefix(ref, "//") && (!u.SameOrigin(base) || u.Slashes != base.Slashes || !reflect.DeepEqual(u.User, base.User)) {
			t.Fatalf("%q + %q is %q", base, ref, u)
		}
		if u.Path == base.Path {
			return // dots in a base stay
		}
		if again, err := base.Resolve(u.String()); err != nil || again.String() != u.String() {
			t.Fatalf("%q + %q is %q, then %q, %v", base, ref, u, again, err)
		}
	})
}

// FuzzFromText checks that each URL stands in brackets in the text, in order.
func FuzzFromText(f *testing.F) {
	addRows(f)
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, found := range url.FromText(text) {
			if found.Start < end || found.End > len(text) || text[found.Start] != '<' || text[found.End-1] != '>' {
				t.Fatalf("%q: found at %d to %d", text, found.Start, found.End)
			}
			end = found.End
			checkRoundTrip(t, found.URL)
			if found.Other != nil {
				checkRoundTrip(t, found.Other)
			}
			u, err := url.Parse(url.Unwrap(text[found.Start:found.End]))
			if err != nil || !reflect.DeepEqual(u, found.URL) {
				t.Fatalf("%q: found %q, but Unwrap leads to %q, %v", text, found.URL, u, err)
			}
		}
	})
}

// FuzzRedact checks that the password is hidden for every spelling of the delimiters.
func FuzzRedact(f *testing.F) {
	for at := range 5 {
		f.Add("http://", "joe", uint8(at), "s3cret", uint8(at), "h.dom/x?y#z")
	}
	f.Add("", "", uint8(0), "a:b/c@d", uint8(0), "")
	colons := []string{":", "%3A", "：", "%ef%bc%9a", "﹕"}
	ats := []string{"@", "%40", "＠", "%EF%BC%A0", "﹫"}
	f.Fuzz(func(t *testing.T, scheme, user string, colon uint8, password string, at uint8, rest string) {
		before, after := scheme+user+colons[int(colon)%len(colons)], ats[int(at)%len(ats)]+rest
		if strings.ContainsAny(password, "/\\?#%:*") || strings.Trim(user, "abcdefghijklmnopqrstuvwxyz") != "" || len(password) < 5 ||
			strings.Contains(before+"***"+after, password) || scheme != "" && scheme != "http://" {
			return // the password is also elsewhere, or looks like a path
		}
		text := before + password + after
		if shown := url.Redact(text); strings.Contains(shown, password) {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		if u, err := url.Parse(text); err == nil && u.Slashes {
			if shown := u.Redacted(); strings.Contains(shown, password) {
				t.Fatalf("%q is %q, shown as %q", text, u, shown)
			}
		}
	})
}
