package fetchers_test

import (
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const netrcText = `# logins
machine h.example login me password secret
machine H.example
	login you
	password "two words \"quoted\" \\ \t end" # a remark
machine h.example:2121 login port password p#ss
macdef init
	machine evil.example login x password y
	bye

machine only.example password nologin
default login anonymous password me@h.example
machine after.example account acct login late password l
`

func TestNetrc(t *testing.T) {
	n, err := fetchers.ReadNetrc(strings.NewReader(netrcText))
	if err != nil {
		t.Fatal(err)
	}
	n.Name = "~/.netrc"
	for _, c := range []struct {
		host, port, user string
		want             fetchers.Credential
	}{
		{"h.example", "21", "", fetchers.Credential{User: "me", Password: "secret"}},
		{"H.EXAMPLE.", "21", "me", fetchers.Credential{User: "me", Password: "secret"}},
		{"h.example", "21", "you", fetchers.Credential{User: "you", Password: "two words \"quoted\" \\ \t end"}},
		{"h.example", "2121", "", fetchers.Credential{User: "port", Password: "p#ss"}},
		{"only.example", "21", "who", fetchers.Credential{User: "who", Password: "nologin"}},
		{"evil.example", "21", "", fetchers.Credential{User: "anonymous", Password: "me@h.example"}},
		{"after.example", "80", "", fetchers.Credential{User: "late", Password: "l"}},
	} {
		c.want.Source = "netrc ~/.netrc"
		got, err := n.Lookup(t.Context(), fetchers.Origin{Host: c.host, Port: c.port, User: c.user})
		if err != nil || got != c.want {
			t.Errorf("%s:%s %q: %+v, %v; want %+v", c.host, c.port, c.user, got, err, c.want)
		}
	}
	// After a redirection from another origin, only an entry with the port applies.
	for port, want := range map[string]string{"2121": "port", "80": ""} {
		if c, _ := n.Lookup(t.Context(), fetchers.Origin{Host: "h.example", Port: port, Redirected: true}); c.User != want {
			t.Errorf("redirected to port %s: %+v, want %q", port, c, want)
		}
	}
	if c, err := n.Lookup(t.Context(), fetchers.Origin{Host: "x.example", Port: "21", User: "stranger"}); err != fetchers.ErrLogin {
		t.Errorf("a user that no entry is for: %+v, %v; want ErrLogin", c, err)
	}
}

func TestNetrcRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"login x":                      `line 1: "login" before any machine`,
		"machine h\n\nmachinery x":     "line 3: unknown keyword",
		"machine h password \"s3cret":  "line 1: a quote is not closed",
		"machine h password":           `"password" without a value`,
		"machine h \"login\" x":        "line 1: a quoted word",
		`machine "" login x`:           "line 1: a machine without a name",
		"machine h password s3cret me": "line 1: unknown keyword",
	} {
		_, err := fetchers.ReadNetrc(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func TestNetrcSecret(t *testing.T) {
	for text, want := range map[string]bool{
		"":                          false,
		"machine h login me":        false,
		"machine h password s3cret": true,
		"default login anonymous password me@h.example":            false,
		"default login anonymous password a\nmachine h password b": true,
	} {
		n, err := fetchers.ReadNetrc(strings.NewReader(text))
		if err != nil || n.Secret() != want {
			t.Errorf("%q: %v, want %v", text, err, want)
		}
	}
}

// Any text is parsed or refused, and quoting does not change a word.
func FuzzNetrc(f *testing.F) {
	f.Add(netrcText, "me", "s3cret")
	f.Add("macdef a\n\nmachine h", `a "b" \`, "\t\r\n")
	f.Add("machine \"h\\", "#", " ")
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
	f.Fuzz(func(t *testing.T, text, login, password string) {
		if n, err := fetchers.ReadNetrc(strings.NewReader(text)); err == nil {
			n.Lookup(t.Context(), fetchers.Origin{Host: "h.example", Port: "21"})
		}
		if len(login)+len(password) > 1000 {
			return
		}
		line := `machine h.example login "` + quoted.Replace(login) + `" password "` + quoted.Replace(password) + `" # rest`
		n, err := fetchers.ReadNetrc(strings.NewReader("# first\n" + line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		c, err := n.Lookup(t.Context(), fetchers.Origin{Host: "h.example", Port: "21"})
		if err != nil || c.User != login || c.Password != password {
			t.Errorf("%s: %+v, %v", line, c, err)
		}
	})
}

func TestKeychains(t *testing.T) {
	first, _ := fetchers.ReadNetrc(strings.NewReader("machine a.example login a password 1"))
	second, _ := fetchers.ReadNetrc(strings.NewReader("machine a.example login b password 2\nmachine b.example login b password 2"))
	chain := fetchers.Keychains{first, second}
	for host, want := range map[string]string{"a.example": "a", "b.example": "b", "c.example": ""} {
		c, err := chain.Lookup(t.Context(), fetchers.Origin{Host: host})
		if c.User != want || (err == fetchers.ErrLogin) != (want == "") {
			t.Errorf("%s: %+v, %v; want %q", host, c, err, want)
		}
	}
}
