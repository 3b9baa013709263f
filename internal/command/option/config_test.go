package option

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParseConfig(t *testing.T) {
	settings, sections, err := parseConfig("f", []byte(`retry = 3 # as usual
user-agent = 'a "b"'
header = [
	"A: 1",
	"B: 2",
]
origin."ftp://h".ssl = true

["https://h.example"]
connect-timeout = 2.5

[origin."ftp://h:2121"]
user = "me"
`))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	write := func(list []Setting) {
		for _, s := range list {
			fmt.Fprintf(&got, "%s %s %q\n", s.Where, s.Key, s.Values)
		}
	}
	write(settings)
	for _, s := range sections {
		fmt.Fprintf(&got, "%s [%s]\n", s.Where, s.Origin)
		write(s.Settings)
	}
	want := `f:1 retry ["3"]
f:2 user-agent ["a \"b\""]
f:3 header ["A: 1" "B: 2"]
f:7 [ftp://h]
f:7 ssl ["true"]
f:9 [https://h.example]
f:10 connect-timeout ["2.5"]
f:12 [ftp://h:2121]
f:13 user ["me"]
`
	if got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

// A setting is shown without its secrets, and counts as secret if there are any.
func TestSettingShown(t *testing.T) {
	for _, c := range []struct {
		key, value, want string
	}{
		{"retry", "3", "--retry 3"},
		{"user", "me", "--user me"},
		{"user", "me:s3cret", "--user me:***"},
		{"user", ":s3cret", "--user :***"},
		{"proxy-user", "me:s3cret:x", "--proxy-user me:***"},
		{"proxy", "me:s3cret@h:8080", "--proxy me:***@h:8080"},
		{"proxy", "http://me:s3cret@h", "--proxy http://me:***@h"},
		{"header", "Accept: text/plain", "--header Accept: text/plain"},
		{"header", "Authorization: Bearer s3cret", "--header Authorization: Bearer ***"},
		{"header", "X-Api-Key:s3cret", "--header X-Api-Key: ***"},
		{"header", "X-Empty;", "--header X-Empty;"},
		{"header", "Bearer s3cret;", "--header ***"},
		{"header", "@file", "--header @file"},
		{"cookie", "a=s3cret; b=s3cret", "--cookie a=***; b=***"},
	} {
		s := Setting{Key: c.key, Values: []string{c.value}}
		if got := s.Shown(); got != c.want || s.secret() != strings.Contains(c.value, "s3cret") {
			t.Errorf("%s %s: %s, %v; want %s", c.key, c.value, got, s.secret(), c.want)
		}
	}
}

// configured returns the Options of a command line with a configuration.
func configured(t *testing.T, config, verb string, args ...string) (*Options, error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return parse(verb, append([]string{"--config", name}, args...)...)
}

// The errors of a configuration name the line, and a flag that may have been meant.
func TestConfigRefused(t *testing.T) {
	for config, want := range map[string]string{
		"retri = 1":                                ":1: there is no flag \"retri\": did you mean \"retry\" ?",
		"xyzzy = 1":                                ":1: there is no flag \"xyzzy\"",
		"output = 'x'":                             ":1: output is for a command line",
		"user = 'x'":                               ":1: user is for one origin: write it in a section like [\"https://example.org\"]",
		"header = 'Authorization: x'":              ":1: that header is a secret, which is for one origin",
		"header = 'x'":                             ":1: -H wants NAME: VALUE",
		"referer = \"a\\nb\"":                      ":1: ",
		"retry = [1, 2]":                           ":1: retry has one value, not 2",
		"retry = 'x'":                              ":1: retry: not a number from 0 on: \"x\"",
		"retry = 1979-05-27":                       ":1: retry is no word, number, true or false, or a list of them",
		"['http://h']\nretry = 1":                  ":2: retry is not for one origin: write it before the first section",
		"['ftp://h']\nuser-agent = 'x'":            ":2: user-agent means nothing for ftp",
		"['http://h']\nheader = ['A: b', '@f']":    ":2: header is NAME: VALUE: a file of fields is for a command line",
		"header = ['Host: a', 'Host: b']":          ":1: several header fields Host, where a request has one",
		"['http://h']\ncookie = ['a=b', 'file']":   ":2: cookie is NAME=VALUE: a file of cookies is for a command line",
		"[x]\nuser-agent = 'x'":                    ":1: \"x\" is no origin: write it like [\"https://example.org\"]",
		"['http://a:s3cret@h/']":                   ":1: http://a:***@h/ is more than an origin: a section is for all of a server",
		"['http://h']\n['http://h:80']":            ":2: a second section for the origin of ",
		"['http://h']\nipv4 = 'x'":                 ":2: ipv4: ",
		"[origin]\nretry = 1":                      ":2: a section for origins is like [origin.\"https://example.org\"]",
		"retry = ":                                 ":1: ",
		"['http://a']\n\n[\"http://b\"]\nipv4='x'": ":4: ipv4: ",
	} {
		if _, err := configured(t, config, "get", somewhere); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v, want %q", config, err, want)
		}
	}
}

// A value of the command line goes before a value of a section, and that before a value for all
// origins.
func TestSections(t *testing.T) {
	o, err := configured(t, `connect-timeout = 1
insecure = true
cacert = 'ca'
user-agent = 'all'
header = ['A: all']
["http://h:80"]
connect-timeout = 2
cacert = 'own'
cert = 'cert'
user = 'joe'
header = ['A: own', 'B: own', 'C: own']
referer = 'own'
cookie = ['c=own', 'd=own']
[origin."ftp://h"]
ftp-method = 'nocwd'
`, "get", "--cacert=line", "-H", "B: line", "--urn", "x=http://127.0.0.1/{nss}", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	s := o.Origins["http://h:80"]
	if s == nil || len(o.Origins) != 2 {
		t.Fatalf("sections %v", o.Origins)
	}
	own := s.Options
	if own.Route.ConnectTimeout.Seconds() != 2 || o.Route.ConnectTimeout.Seconds() != 1 || own.TLS.CACert != "line" || own.TLS.Cert != "cert" || o.TLS.Cert != "" || !own.TLS.Insecure || len(own.URN) != 1 {
		t.Errorf("the section has %+v and %+v", own.Route, own.TLS)
	}
	if s.User == nil || s.User.Values[0] != "joe" || !s.Certified || own.Given("cert") || !own.IsSet("cert") || !own.Given("cacert") || o.IsSet("cert") {
		t.Errorf("user %v, certified %v, sources %v", s.User, s.Certified, own.Sources)
	}
	if got, want := fmt.Sprint(s.Fields), "map[A:[own] C:[own] Cookie:[c=own; d=own] Referer:[own]]"; got != want {
		t.Errorf("fields %s, want %s", got, want)
	}
	if f := o.Origins["ftp://h:21"]; f == nil || f.Options.FTP.Method != "nocwd" || o.FTP.Method != "multicwd" || f.Certified || f.User != nil {
		t.Errorf("the section of ftp: %+v", f)
	}
}

// In the configuration ~ is the home directory in the names of files, and nowhere else.
func TestTildeInConfig(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	for _, variable := range []string{"HOME", "USERPROFILE"} {
		t.Setenv(variable, home)
	}
	o, err := configured(t, `cacert = '~/ca.pem'
output-dir = '~'
hsts = '~joe/hsts'
cookie-jar = 'a/~/jar'
user-agent = '~/agent'
pinnedpubkey = '~/key.pem'
["http://h"]
key = '~/key'
cert = '/~/cert'
cookie = '~/a=b'
`, "get", "--crlfile", "~/crl", "-O", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	own := o.Origins["http://h:80"]
	for _, c := range []struct{ key, got, want string }{
		{"cacert", o.TLS.CACert, home + "/ca.pem"},
		{"output-dir", o.Files.Dir, home},
		{"hsts", o.Ask.HSTS, "~joe/hsts"},
		{"cookie-jar", o.Ask.CookieJar, "a/~/jar"},
		{"user-agent", o.Ask.UserAgent, "~/agent"},
		{"pinnedpubkey", o.TLS.Pinned, home + "/key.pem"},
		{"key of a section", own.Options.TLS.Key, home + "/key"},
		{"cert of a section", own.Options.TLS.Cert, "/~/cert"},
		{"cookie of a section", own.Fields.Get("Cookie"), "~/a=b"},
		{"crlfile of the command line", o.TLS.CRLFile, "~/crl"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.key, c.got, c.want)
		}
	}
}

// Without a home directory a ~ leads nowhere, and that is an error with its line.
func TestTildeWithoutHome(t *testing.T) {
	for _, variable := range []string{"HOME", "USERPROFILE", "home"} {
		t.Setenv(variable, "")
	}
	if _, err := configured(t, "cacert = '~/ca.pem'", "get", somewhere); err == nil || !strings.Contains(err.Error(), ":1: cacert: ") {
		t.Errorf("%v", err)
	}
}

// A value of the configuration gives way to a flag that contradicts it, for the verbs for
// which it does.
func TestConfigGivesWay(t *testing.T) {
	for _, c := range []struct {
		config, verb string
		args         []string
		key          string
		want         bool // whether the value of the configuration holds
	}{
		{"ipv4 = true", "get", []string{"-6"}, "ipv4", false},
		{"ipv4 = true", "get", []string{"-6=false"}, "ipv4", true},
		{"http2 = true", "get", []string{"--trace=x"}, "http2", false},
		{"json = true", "get", []string{"--raw", "-o", "x"}, "json", true},
		{"json = true", "ls", []string{"--raw"}, "json", false},
		{"raw = true", "ls", []string{"--json"}, "raw", false},
		{"retry = 1", "get", []string{"--retry=2"}, "retry", false},
		{"segments = 1", "info", nil, "segments", false},
		{"no-clobber = true", "get", []string{"-C", "-", "-o", "x"}, "no-clobber", true},
		{"no-clobber = true", "get", []string{"-C", "1", "-o", "x"}, "no-clobber", false},
	} {
		o, err := configured(t, c.config, c.verb, append(c.args, somewhere)...)
		if err != nil {
			t.Errorf("%s, %q: %v", c.config, c.args, err)
			continue
		}
		if held := o.IsSet(c.key) && !o.Given(c.key); held != c.want {
			t.Errorf("%s, %q: from the configuration %v, want %v", c.config, c.args, held, c.want)
		}
	}
}

// A file that the configuration names is not written twice.
func TestOwnFilesOfConfig(t *testing.T) {
	for _, c := range []struct {
		config string
		args   []string
		want   string
	}{
		{"hsts = 'x'", []string{"-o", "x"}, "-o and --hsts name the same file: x"},
		{"hsts = 'x'\ncookie-jar = './x'", nil, "-c and --hsts name the same file: x"},
		{"hsts = 'x'\ncookie-jar = 'y'", []string{"-o", "z"}, ""},
	} {
		o, err := configured(t, c.config, "get", append(c.args, somewhere)...)
		if c.want == "" {
			if own := o.OwnFiles(); err != nil || len(own) != 2 {
				t.Errorf("%s, %q: %v, %v", c.config, c.args, own, err)
			}
		} else if err == nil || err.Error() != c.want {
			t.Errorf("%s, %q: %v, want %s", c.config, c.args, err, c.want)
		}
	}
}

// A configuration with a secret in it is for its user alone.
func TestSecretConfig(t *testing.T) {
	for config, private := range map[string]bool{
		"retry = 1": false, "proxy = 'http://joe:s3cret@127.0.0.1'": true, "['http://h']\nuser = 'joe'": false, "['http://h']\nuser = 'joe:s3cret'": true, "['http://h']\nheader = 'X-Api-Key: s3cret'": true,
	} {
		name := filepath.Join(t.TempDir(), "f")
		if err := os.WriteFile(name, []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := parse("get", "--config", name, somewhere); (err != nil) != private || err != nil && !strings.Contains(err.Error(), "chmod 600") {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("retry = 3\n[\"https://h\"]\nuser = 'x'\n[origin]\na = 1\n[[x]]\ny.z = {a = [1, [2]]}")
	f.Add("origin.\"ftp://h\".ssl = true")
	f.Fuzz(func(t *testing.T, text string) {
		settings, sections, err := parseConfig("f", []byte(text))
		for _, s := range sections {
			settings = append(settings, s.Settings...)
		}
		for _, s := range settings {
			if s.Shown(); err == nil && !strings.HasPrefix(s.Where, "f:") {
				t.Errorf("%s is at %s", s.Key, s.Where)
			}
		}
	})
}
