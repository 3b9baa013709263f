package main

import (
	"fmt"
	"io"
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
	write := func(list []setting) {
		for _, s := range list {
			fmt.Fprintf(&got, "%s %s %q\n", s.where, s.key, s.values)
		}
	}
	write(settings)
	for _, s := range sections {
		fmt.Fprintf(&got, "%s [%s]\n", s.where, s.origin)
		write(s.settings)
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

// What is shown of a setting has no secret in it, and tells that there is one.
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
		{"cookie", "a=s3cret; b=s3cret", "--cookie a=***; b=***"},
	} {
		s := setting{key: c.key, values: []string{c.value}}
		if got := s.shown(); got != c.want || s.secret() != strings.Contains(c.value, "s3cret") {
			t.Errorf("%s %s: %s, %v; want %s", c.key, c.value, got, s.secret(), c.want)
		}
	}
}

func TestNearest(t *testing.T) {
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard}
	root := a.command()
	for name, want := range map[string]string{
		"retri": "retry", "useragent": "user-agent", "header2": "header", "max-redir": "max-redirs", "xyzzy": "",
	} {
		if got := nearest(flagNames(root), name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	for _, name := range strings.Fields(oneRun + " " + ofOrigins + " " + onlyOfOrigins + " " + inherited) {
		if !isFlag(root, name) && name != "help" && name != "version" {
			t.Errorf("there is no flag %s", name)
		}
	}
}

func FuzzParseConfig(f *testing.F) {
	f.Add("retry = 3\n[\"https://h\"]\nuser = 'x'\n[origin]\na = 1\n[[x]]\ny.z = {a = [1, [2]]}")
	f.Add("origin.\"ftp://h\".ssl = true")
	f.Fuzz(func(t *testing.T, text string) {
		settings, sections, err := parseConfig("f", []byte(text))
		for _, s := range sections {
			settings = append(settings, s.settings...)
		}
		for _, s := range settings {
			if s.shown(); err == nil && !strings.HasPrefix(s.where, "f:") {
				t.Errorf("%s is at %s", s.key, s.where)
			}
		}
	})
}
