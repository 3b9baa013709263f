package option

import (
	"strings"
	"testing"
)

// The login of one proxy is for no other that is named on the command line or in a section.
func TestLoginOfAnotherProxy(t *testing.T) {
	const (
		all     = "proxy-user = 'joe:s3cret'\nproxy-cert = 'c.pem'\nproxy-insecure = true\n"
		section = "['http://127.0.0.1:1']\n"
		joe     = "joe:s3cret c.pem -k"
	)
	shown := func(p Proxy) string {
		text := p.User + " " + p.Cert
		if p.Insecure {
			text += " -k"
		}
		return strings.TrimSpace(text)
	}
	for _, c := range []struct {
		about, config, args string
		run, section        string // the login that a proxy gets: of the run, and of the section
	}{
		{"the proxy of the file", "proxy = 'http://a'\n" + all + section, "", joe, joe},
		{"a proxy of the environment", all + section, "", joe, joe},
		{"a proxy of the command line", "proxy = 'http://a'\n" + all + section, "-x http://b", "", ""},
		{"it has a login of its own", all + section, "-x http://b -U ann:x", "ann:x", "ann:x"},
		{"a section with another proxy", all + section + "proxy = 'http://b'\n", "", joe, ""},
		{"the section has its own login", all + section + "proxy-user = 'ann:x'\nproxy = 'http://b'\n", "", joe, "ann:x"},
		{"a section, and a proxy of the command line", section + "proxy = 'http://b'\n" + all, "-x http://c", "", ""},
		{"a proxy of HTTP/1.0 of the command line", "proxy = 'http://a'\n" + all + section, "--proxy1.0 http://b", "", ""},
		{"a section with a login, and a proxy of HTTP/1.0 of the command line", section + "proxy = 'http://b'\nproxy-user = 'ann:x'\n", "--proxy1.0 http://c", "", ""},
		{"a login of the command line", section + "proxy = 'http://b'\n", "-U ann:x", "ann:x", "ann:x"},
	} {
		o, err := configured(t, c.config, "get", append(strings.Fields(c.args), somewhere)...)
		if err != nil {
			t.Errorf("%s: %v", c.about, err)
			continue
		}
		if got := shown(o.Proxy); got != c.run {
			t.Errorf("%s: the proxy is shown %q, want %q", c.about, got, c.run)
		}
		if got := shown(o.Origins["http://127.0.0.1:1"].Options.Proxy); got != c.section {
			t.Errorf("%s: in the section the proxy is shown %q, want %q", c.about, got, c.section)
		}
	}
}
