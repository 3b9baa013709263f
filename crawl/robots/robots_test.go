package robots

import (
	"strings"
	"testing"
	"time"
)

// TestRules has the published test cases of Google's parser, and those of RFC 9309. If the two
// differ, the RFC decides.
func TestRules(t *testing.T) {
	const foo = "FooBot"
	for _, c := range []struct {
		name, file, agent string
		allowed, refused  string // paths, separated by blanks
	}{
		{"lines as they should be", "user-agent: FooBot\ndisallow: /\n", foo, "", "/x/y"},
		{"no user-agent", "foo: FooBot\nbar: /\n", foo, "/x/y", ""},
		{"blanks for colons", "user-agent FooBot\ndisallow /\n", foo, "", "/x/y"},
		{"groups", "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n", foo, "/x/b /z/d", "/y/c /foo/bar/ /w/a"},
		{"another of the groups", "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n", "BarBot", "/y/c /w/a", "/z/d"},
		{"the last of the groups", "allow: /foo/bar/\n\nuser-agent: FooBot\ndisallow: /\nallow: /x/\nuser-agent: BarBot\ndisallow: /\nallow: /y/\n\n\nallow: /w/\nuser-agent: BazBot\n\nuser-agent: FooBot\nallow: /z/\ndisallow: /\n", "BazBot", "/z/d", ""},
		{"other lines between agents", "User-agent: BarBot\nSitemap: https://foo.bar/sitemap\nUser-agent: *\nDisallow: /\n", foo, "", "/"},
		{"other lines are not rules", "User-agent: FooBot\nInvalid-Unknown-Line: unknown\nUser-agent: *\nDisallow: /\n", foo, "", "/"},
		{"keys in any case", "USER-AGENT: FooBot\nALLOW: /x/\nDISALLOW: /\n", foo, "/x/y", "/a/b"},
		{"mixed case", "uSeR-aGeNt: FooBot\nAlLoW: /x/\ndIsAlLoW: /\n", foo, "/x/y", "/a/b"},
		{"agents in any case", "User-Agent: FOO BAR\nAllow: /x/\nDisallow: /\n", "foo", "/x/y", "/a/b"},
		{"an agent with a version", "User-Agent: FooBot/2.1\nDisallow: /\n", "foobot/3", "", "/x"},
		{"an agent that only begins so", "User-agent: FooBotX\nDisallow: /\n", foo, "/x", ""},
		{"another one for all", "user-agent: *\nallow: /\n\nuser-agent: FooBot\ndisallow: /\n", "BarBot", "/x", ""},
		{"its own before that for all", "user-agent: *\nallow: /\n\nuser-agent: FooBot\ndisallow: /\n", foo, "", "/x"},
		{"for all, with words behind", "user-agent: * and more\ndisallow: /\n", foo, "", "/x"},
		{"paths in their case", "user-agent: FooBot\ndisallow: /X/\n", foo, "/x/y", "/X/y"},
		{"the longest decides", "user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/\n", foo, "/x/ /x/y", "/x/page.html"},
		{"the longest, the other way", "user-agent: FooBot\nallow: /x/page.html\ndisallow: /x/\n", foo, "/x/page.html", "/x/"},
		{"nothing against nothing", "user-agent: FooBot\ndisallow: \nallow: \n", foo, "/x/page.html", ""},
		{"equals", "user-agent: FooBot\ndisallow: /\nallow: /\n", foo, "/x/page.html", ""},
		{"a rule that is a prefix", "user-agent: FooBot\ndisallow: /x\nallow: /x/\n", foo, "/x/", "/x"},
		{"equal rules", "user-agent: FooBot\ndisallow: /x/page.html\nallow: /x/page.html\n", foo, "/x/page.html", ""},
		{"a star is a byte", "user-agent: FooBot\nallow: /page\ndisallow: /*.html\n", foo, "/page", "/page.html"},
		{"the longer one with a star", "user-agent: FooBot\nallow: /x/page.\ndisallow: /*.html\n", foo, "/x/page.html", "/x/y.html"},
		{"its own and that for all", "User-agent: *\nDisallow: /x/\nUser-agent: FooBot\nDisallow: /y/\n", foo, "/x/page", "/y/page"},
		{"bytes that are no ASCII", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/\u30c4\n", foo, "/foo/bar/%E3%83%84 /foo/bar/\u30c4 /foo/bar/%e3%83%84", "/foo/bar/%E3%83%85"},
		{"their escapes in the rule", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/%E3%83%84\n", foo, "/foo/bar/%E3%83%84 /foo/bar/\u30c4", ""},
		{"escapes that are none", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar/%62%61%7A\n", foo, "/foo/bar/baz /foo/bar/%62%61%7A /foo/bar/b%61z", ""}, // Google: only the second
		{"escapes that are some", "User-agent: FooBot\nDisallow: /a%2fb\n", foo, "/a/b", "/a%2Fb /a%2fb"},
		{"a query", "User-agent: FooBot\nDisallow: /\nAllow: /foo/bar?qux=taz&baz=http://foo.bar?tar&par\n", foo, "/foo/bar?qux=taz&baz=http://foo.bar?tar&par", "/foo/bar?qux=taz"},
		{"a star within", "User-agent: FooBot\nDisallow: /foo/bar/quz\nAllow: /foo/*/qux\n", foo, "/foo/bar/qux /foo/x/y/qux /foo//qux", "/foo/bar/quz"},
		{"a dollar at the end", "User-agent: FooBot\nDisallow: /foo/bar$\nAllow: /foo/bar/qux\n", foo, "/foo/bar/qux /foo/bar/ /foo/bar/baz", "/foo/bar"},
		{"a remark", "User-agent: FooBot # this one\n# Disallow: /\nDisallow: /foo/quz # no\nAllow:/ok\n", foo, "/foo/bar /ok", "/foo/quz"},
		{"stars and a dollar", "User-agent: FooBot\nDisallow: /*.gif$\nDisallow: /*/x*y$\n", foo, "/a.gif?b /a.gifs /a/xy/z", "/a.gif /b/c.gif /a/xy /a/x1y"},
		{"many stars", "User-agent: FooBot\nDisallow: /a**b***c\n", foo, "/ab /acb", "/abc /axbxc"},
		{"a path that begins with a star", "User-agent: FooBot\nDisallow: *.php\n", foo, "/a", "/a.php"},
		{"a dollar within", "User-agent: FooBot\nDisallow: /a$b\n", foo, "/a", "/a$b /a$bc /a%24b"},
		{"a star that is none", "User-agent: FooBot\nDisallow: /path/file-with-a-%2A.html\n", foo, "/path/file-with-a-x.html", "/path/file-with-a-*.html"},
		{"a dollar that is none", "User-agent: FooBot\nDisallow: /a%24\n", foo, "/a", "/a$ /a$b"},
		{"all ends of lines", "User-Agent: foo\r\nAllow: /some/path\rUser-Agent: bar\n\n\r\n\nDisallow: /\n", "bar", "", "/some/path"},
		{"an end that is missing", "User-agent: FooBot\nDisallow: /x", foo, "/", "/x"},
		{"a byte order mark", "\xEF\xBB\xBFUser-Agent: foo\nAllow: /AnyValue\nDisallow: /\n", "foo", "/AnyValue", "/x"},
		{"half of a mark", "\xEF\xBBUser-Agent: foo\nAllow: /AnyValue\nDisallow: /\n", "foo", "/AnyValue /x", ""},
		{"keys with a slip", "useragent: FooBot\ndissallow: /a\ndisalow: /b\n", foo, "/c", "/a /b"},
		{"HTML", "<!DOCTYPE html>\n<html><head><title>User-agent: *</title>\nDisallow: /\n", foo, "/", ""},
		{"another encoding", "U\x00s\x00e\x00r\x00-\x00a\x00g\x00e\x00n\x00t\x00:\x00*\x00\n\x00Disallow: /", foo, "/", ""},
		{"nothing", "", foo, "/", ""},
		{"no agent", "User-agent: \nDisallow: /\n", "", "/", ""},
	} {
		rules, err := Parse(strings.NewReader(c.file))
		if err != nil {
			t.Fatal(err)
		}
		g := rules.For(c.agent)
		for _, path := range strings.Fields(c.allowed) {
			if ok, by := g.Decide(path); !ok {
				t.Errorf("%s: %s is refused by %v", c.name, path, by)
			}
		}
		for _, path := range strings.Fields(c.refused) {
			if ok, by := g.Decide(path); ok {
				t.Errorf("%s: %s is allowed by %v", c.name, path, by)
			}
		}
	}
}

// A Sitemap belongs to no group, and a Crawl-delay to one.
func TestOtherLines(t *testing.T) {
	rules, err := Parse(strings.NewReader("Sitemap: https://h/a.xml\nUser-agent: *\nCrawl-delay: 2.5\nUser-agent: a\nSITE-MAP : /b.xml#c\nDisallow: /\nUser-agent: b\nCrawl-delay: x\nCrawl-delay: -1\nSitemap:\nUser-agent: c\nCrawl-delay: 1e300\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rules.Sitemaps, " "); got != "https://h/a.xml /b.xml" {
		t.Errorf("sitemaps %q", got)
	}
	for agent, want := range map[string]time.Duration{"a": 2500 * time.Millisecond, "x": 2500 * time.Millisecond, "b": maxDelay, "c": maxDelay} {
		if got := rules.For(agent).Delay; got != want {
			t.Errorf("%s: %v, want %v", agent, got, want)
		}
	}
	if (*Rules)(nil).For("a").Delay != 0 {
		t.Error("no rules have a delay")
	}
}

// Text after MaxSize is ignored, and so is the line at the cut.
func TestSize(t *testing.T) {
	head := "User-agent: *\nDisallow: /a\n"
	text := head + strings.Repeat("#", MaxSize-len(head)-len("\nDisallow: /b")) + "\nDisallow: /bcd\nDisallow: /c\n"
	rules, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	g := rules.For("x")
	if len(g.Rules) != 1 || g.Rules[0].String() != "Disallow: /a" || g.Rules[0].Line != 2 {
		t.Errorf("rules %v", g.Rules)
	}
}

// FuzzRules checks that a rule whose path is the given path decides about it, and that normal is
// idempotent.
func FuzzRules(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nAllow: /%41\n", "/aab")
	f.Add("user-agent x\rdisallow: *$\n", "/%2a%zz")
	f.Fuzz(func(t *testing.T, file, path string) {
		rules, err := Parse(strings.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		g := rules.For("x")
		allowed, by := g.Decide(path)
		if by == nil && !allowed || by != nil && by.Allow != allowed {
			t.Errorf("%q: allowed %v by %v", path, allowed, by)
		}
		if again := normal(normal(path)); again != normal(path) {
			t.Errorf("%q: %q, and then %q", path, normal(path), again)
		}
		g.Rules = append(g.Rules, Rule{pattern: pattern{text: normal(path), pieces: []string{normal(path)}, whole: true}, Line: -1})
		if _, by := g.Decide(path); by == nil {
			t.Errorf("%q does not fit itself", path)
		}
	})
}
