package session

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// The suggested command is one that is installed, or else the usual one. It holds no word
// that could be a flag, and no character that deceives at a terminal.
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
