package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/option"
)

// mistyped are texts with a password that are no URLs, or are other URLs than the user meant.
var mistyped = []string{
	"http://joe:s3cret＠h.dom/x",
	"http://joe:s3cret﹫h.dom/x",
	"http://joe：s3cret＠h.dom/x",
	"http：／／joe:s3cret＠h.dom/x",
	"http://joe:s3cret%40h.dom/x",
	"http://joe%3As3cret%40h.dom/x",
	"http://joe：s3cret@127.0.0.1:1/",
	"http://joe%3As3cret@127.0.0.1:1/",
	"http://joe:s3cret h.dom/x",
	"http://joe:s3cret/h.dom",
	"http//joe:s3cret@h",
	"http:/joe:s3cret@h",
	"http:joe:s3cret@h",
	"ftp://joe:s3cret@h:x/",
	"foo:joe:s3cret@h/x",
	"joe:s3cret@h/x",
	"joe:s3cret＠h",
	"://joe:s3cret@h/",
	"//joe:s3cret＠h/",
	"<URL:http://joe:s3cret@h:x/>",
	"http://127.0.0.1:1//joe:s3cret@127.0.0.1:1/",
}

// No error contains the password of a mistyped URL, wherever the URL stands: as an argument, in a
// list, in the environment, or as the value of any flag.
func TestMistypedURLs(t *testing.T) {
	const good = "http://127.0.0.1:1/"
	flags := slices.DeleteFunc(slices.Clone(option.Table()), func(f option.Flag) bool { return f.Value == "" || f.Bare != "" || !f.On("get") })
	run := func(args ...string) {
		t.Helper()
		defer t.Chdir(t.TempDir()) // a new directory for the next run, since a flag may have made a file
		status, stdout, stderr := command(append(args, "--retry=0", "--json", "-v")...)
		all := stdout + stderr
		for _, name := range []string{"events", "trace"} {
			text, _ := os.ReadFile(name)
			all += string(text)
		}
		if status == 0 || strings.Contains(all, "s3cret") {
			t.Errorf("%q: status %d\n%s", args, status, all)
		}
	}
	t.Chdir(t.TempDir())
	for n, text := range mistyped {
		run(text, "-o", "out", "--events", "events", "--trace", "trace")
		run("info", text)
		run("-o", "out", "--in", text, "cid:x")
		if err := os.WriteFile("list", []byte(text+"\n"+good+"\tmirror="+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run("-i", "list", "-O", "--events", "events")
		if err := os.WriteFile("config.toml", []byte("[\""+text+"\"]\nreferer = \"x\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		run("-o", "out", "--config", "config.toml", good)
		for at, f := range flags {
			// The value of --header may be any field, and is masked as a field. The value of
			// --url-query is a part of a query, and queries are shown (docs/security.md).
			if f.Name != "header" && f.Name != "url-query" && (at+n)%4 == 0 {
				run("-o", "out", "--"+f.Name+"="+text, good)
			}
		}
		for _, name := range []string{"http_proxy", "NNTPSERVER", "NETRC"} {
			t.Setenv(name, text)
			run("-o", "out", "--netrc", good)
			run("-o", "out", "news:a@b")
			os.Unsetenv(name)
		}
	}
}

// No error contains the password of a login that is the value of an unknown or a wrong flag.
func TestMistypedFlags(t *testing.T) {
	for _, line := range []string{
		"-Wjoe:s3cret x", "-jujoe:s3cret x", "-j ujoe:s3cret x", "-m joe:s3cret x", "-I=joe:s3cret x", "--head=joe:s3cret x", "--head=joe:s3cret＠h x",
		"--=joe:s3cret x", "---joe:s3cret x", "--usr:joe:s3cret x", "--usr=joe:s3cret x", "--xyz:joe:s3cret x",
		"schemes joe:s3cret@h", "help joe:s3cret@h", "help joe:s3cret@h x", "demo joe:s3cret@h", "version http://joe:s3cret＠h",
	} {
		status, stdout, stderr := command(strings.Fields(line)...)
		if all := stdout + stderr; status == 0 || strings.Contains(all, "s3cret") {
			t.Errorf("%s: status %d\n%s", line, status, all)
		}
	}
	if _, _, stderr := command("-m", "1:30", "x"); !strings.Contains(stderr, `"1:30"`) {
		t.Errorf("a value without a login: %s", stderr)
	}
}
