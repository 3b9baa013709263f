package url_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

// A gemini URL names a page and has the input for it, which may contain any byte.
func TestGemini(t *testing.T) {
	for _, c := range []struct {
		in, addr, path, input, again string
		set                          bool
	}{
		{"gemini://h.dom", "h.dom:1965", "/", "", "gemini://h.dom/", false},
		{"gemini://h.dom/a%2Fb?", "h.dom:1965", "/a%2Fb", "", "gemini://h.dom/a%2Fb?", true},
		{"gemini://h.dom:1/s?two%20words#x", "h.dom:1", "/s", "two words", "gemini://h.dom:1/s?two%20words", true},
		{"gemini://h.dom/s?a+b=c&d?%0D%0A", "h.dom:1965", "/s", "a+b=c&d?\r\n", "gemini://h.dom/s?a%2Bb%3Dc%26d%3F%0D%0A", true},
	} {
		u, err := url.Parse(c.in)
		if err != nil {
			t.Fatal(err)
		}
		g, err := u.Gemini()
		if err != nil || u.Addr() != c.addr || g.Path != c.path || g.Input != c.input || g.InputSet != c.set || g.URL().String() != c.again {
			t.Errorf("%s: %s, %+v, %v, and again %s", c.in, u.Addr(), g, err, g.URL())
		}
	}
	for in, want := range map[string]string{
		"gemini://h.dom":          "gemini://h.dom/",
		"gemini://h.dom:1965/%7e": "gemini://h.dom/~",
	} {
		u, err := url.Parse(in)
		if err != nil || u.Canonical().String() != want {
			t.Errorf("%s: %v, %v", in, u.Canonical(), err)
		}
	}
	if _, err := url.Parse("gemini://joe@h.dom/"); err == nil {
		t.Error("a gemini URL names a user")
	}
	other, _ := url.Parse("http://h.dom/")
	for _, u := range []*url.URL{other, nil} {
		if _, err := u.Gemini(); err == nil {
			t.Errorf("%v is a gemini URL", u)
		}
	}
}

// A secret input is sent but never shown. A URL resolved against this one does not have the input.
func TestSecretInput(t *testing.T) {
	u := url.Gemini{Authority: url.Authority{Host: "h.dom"}, Path: "/in", Input: "s3cret?", InputSet: true, Secret: true}.URL()
	if u.String() != "gemini://h.dom/in?s3cret%3F" || u.Redacted() != "gemini://h.dom/in?***" || !u.Ambiguous() {
		t.Errorf("%s is shown as %s", u, u.Redacted())
	}
	if c := u.Canonical().Redacted(); c != "gemini://h.dom/in?***" {
		t.Errorf("the canonical form is shown as %s", c)
	}
	if with := u.WithoutPassword().Redacted(); with != "gemini://h.dom/in?***" {
		t.Errorf("without a password it is shown as %s", with)
	}
	for ref, want := range map[string]string{"#a": "gemini://h.dom/in?***#a", "next?b": "gemini://h.dom/next?b", "": "gemini://h.dom/in?***"} {
		v, err := u.Resolve(ref)
		if err != nil || v.Redacted() != want {
			t.Errorf("%q: %v, %v, want %s", ref, v.Redacted(), err, want)
		}
	}
}
