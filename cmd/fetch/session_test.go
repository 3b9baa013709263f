package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

func TestSuggestions(t *testing.T) {
	login := func(user string) fetchers.Credential { return fetchers.Credential{User: user, Password: "s3cret"} }
	for _, c := range []struct {
		hint      fetchers.SessionHint
		programs  []string
		want      string
		installed bool
	}{
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23"}, []string{"telnet"}, "telnet h.dom 23", true},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: login("joe")}, nil, "telnet -l joe h.dom 23", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "[::1]:2323", Login: login("a b'c;$(x)")}, nil, `telnet -l 'a b'\''c;$(x)' ::1 2323`, false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: login("\x1b[2J")}, nil, "telnet h.dom 23", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: login("a\u202eb")}, nil, "telnet h.dom 23", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: login("caf\xe9")}, nil, "telnet h.dom 23", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: login("-froot")}, nil, "telnet h.dom 23", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "-oProxyCommand=x:23"}, nil, "", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h\x1b.dom:23"}, nil, "", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h\n.dom:23"}, nil, "", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom"}, nil, "", false},
		{fetchers.SessionHint{Service: "telnet", Addr: "h.dom;reboot:23"}, nil, "telnet 'h.dom;reboot' 23", false},
		{fetchers.SessionHint{Service: "rlogin", Addr: "h.dom:513", Login: login("joe")}, []string{"rlogin"}, "rlogin -l joe h.dom", true},
		{fetchers.SessionHint{Service: "rlogin", Addr: "h.dom:1513"}, nil, "rlogin -p 1513 h.dom", false},
		{fetchers.SessionHint{Service: "tn3270", Addr: "h.dom:23"}, nil, "c3270 h.dom:23", false},
		{fetchers.SessionHint{Service: "tn3270", Addr: "[::1]:23"}, []string{"x3270"}, "x3270 '[::1]:23'", true},
		{fetchers.SessionHint{Service: "tn3270", Addr: "h.dom:23"}, []string{"tn3270", "c3270"}, "c3270 h.dom:23", true},
		{fetchers.SessionHint{Service: "cso", Addr: "ns.h.dom:105"}, nil, "ph -s ns.h.dom -p 105", false},
		{fetchers.SessionHint{Service: "telnets", Addr: "h.dom:992"}, nil, "", false},
		{fetchers.SessionHint{Service: "other", Addr: "h.dom:1"}, nil, "", false},
	} {
		dir := t.TempDir()
		for _, name := range c.programs {
			if runtime.GOOS == "windows" {
				name += ".exe"
			}
			if err := os.WriteFile(filepath.Join(dir, name), nil, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		if got, installed := suggestion(&c.hint); got != c.want || installed != c.installed {
			t.Errorf("%+v: %q, installed %v; want %q, %v", c.hint, got, installed, c.want, c.installed)
		}
	}
}

// A hint that another protocol gave is opened by the protocol of the service.
func TestOpened(t *testing.T) {
	a := &app{client: &fetchers.Client{Fetcher: fetch.Protocols(nil)}}
	menu, err := url.Parse("gopher://g.dom/8login")
	if err != nil {
		t.Fatal(err)
	}
	from := func(hint *fetchers.SessionHint) *fetchers.Resource {
		return &fetchers.Resource{URL: menu, Kind: fetchers.Session, Session: hint}
	}
	hint, err := a.opened(t.Context(), from(&fetchers.SessionHint{Service: "telnet", Addr: "h.dom:2323", Login: fetchers.Credential{User: "login"}}))
	if err != nil || hint.Dial == nil || hint.Addr != "h.dom:2323" || hint.Login.User != "login" {
		t.Errorf("%+v, %v", hint, err)
	}
	if _, err := a.opened(t.Context(), from(&fetchers.SessionHint{Service: "telnet", Addr: "h.dom:25"})); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("at the port of mail: %v, want ErrBlocked", err)
	}
	for _, service := range []string{"tn3270", "cso", "other"} {
		if _, err := a.opened(t.Context(), from(&fetchers.SessionHint{Service: service, Addr: "h.dom:23"})); !errors.Is(err, fetchers.ErrNotRetrievable) {
			t.Errorf("%s: %v, want ErrNotRetrievable", service, err)
		}
	}
}

func TestKeyboard(t *testing.T) {
	for _, c := range []struct {
		typed      string
		echoed     bool
		send, echo string
		left       bool
	}{
		{"ls\r", true, "ls\r", "", false},
		{"a\x7f\x03", true, "a\x7f\x03", "", false},
		{"a\x1db", true, "a", "", true},
		{"ls\r", false, "ls\r\n", "ls\r\n", false},
		{"a\nb", false, "a\r\n", "a\r\nb", false},
		{"ax\x7f\b\x7fb\r", false, "b\r\n", "ax\b \b\b \bb\r\n", false},
		{"\xe2\x82\xac\x7fx\r", false, "x\r\n", "\xe2\x82\xac\b \bx\r\n", false},
		{"ab\x03", false, "ab\x03", "ab", false},
		{"half\x1d", false, "", "half", true},
	} {
		var k keyboard
		if send, echo, left := k.typed([]byte(c.typed), c.echoed); string(send) != c.send || string(echo) != c.echo || left != c.left {
			t.Errorf("%q, echoed %v: %q, %q, %v; want %q, %q, %v", c.typed, c.echoed, send, echo, left, c.send, c.echo, c.left)
		}
	}
	var k keyboard
	long := make([]byte, 3*maxTyped)
	for i := range long {
		long[i] = 'x'
	}
	if send, _, _ := k.typed(append(long, '\r'), false); len(send) != maxTyped+2 {
		t.Errorf("a line of %d octets is sent, want %d", len(send), maxTyped+2)
	}
	k.typed([]byte("begun"), false)
	if send, _, _ := k.typed([]byte("!"), true); string(send) != "begun!" {
		t.Errorf("when the service begins to echo, %q is sent", send)
	}
}
