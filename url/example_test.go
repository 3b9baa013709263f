package url_test

import (
	"fmt"
	neturl "net/url"

	"github.com/seed1ea3422f/fetch/url"
)

func ExampleParse() {
	u, err := url.Parse("FTP://myname@Host.dom:2121/%2Fetc/motd")
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := u.FTP()
	fmt.Println(u, u.Addr(), err)
	fmt.Printf("%s: CWD %q, RETR %q\n", f.User.Name, f.CWD, f.Name)
	// Output:
	// ftp://myname@host.dom:2121/%2Fetc/motd host.dom:2121 <nil>
	// myname: CWD ["/etc"], RETR "motd"
}

func ExampleParseStrict() {
	_, err := url.ParseStrict("http://h.dom/a b")
	fmt.Println(err)
	// Output: malformed URL: unsafe character ' ': must be escaped (at byte 14)
}

func ExampleFTP_URL() {
	f := url.FTP{
		Authority: url.Authority{Host: "h.dom"},
		CWD:       []string{"a/b", "c;d"},
		Name:      "100%",
	}
	fmt.Println(f.URL())
	// Output: ftp://h.dom/a%2Fb/c%3Bd/100%25
}

func ExampleURL_Gopher() {
	u, _ := url.Parse("gopher://h.dom/7/idx%09foo%20bar")
	g, err := u.Gopher()
	fmt.Printf("%c %q %q %v\n", g.Type, g.Selector, g.Search, err)
	// Output: 7 "/idx" "foo bar" <nil>
}

func ExampleURL_News() {
	for _, s := range []string{"news:comp.lang.c", "news:comp.*", "news:unique@full.domain", "nntp://h.dom/comp.lang.c/123"} {
		u, _ := url.Parse(s)
		n, err := u.News()
		fmt.Printf("group %q, wildmat %q, message-id %q, article %d, %v\n", n.Group, n.Wildmat, n.MessageID, n.First, err)
	}
	// Output:
	// group "comp.lang.c", wildmat "", message-id "", article 0, <nil>
	// group "", wildmat "comp.*", message-id "", article 0, <nil>
	// group "", wildmat "", message-id "unique@full.domain", article 0, <nil>
	// group "comp.lang.c", wildmat "", message-id "", article 123, <nil>
}

func ExampleWAIS_URL() {
	w := url.WAIS{Authority: url.Authority{Host: "h.dom"}, Database: "db", Search: "red c++", SearchSet: true}
	fmt.Println(w.URL())
	// Output: wais://h.dom/db?red+c%2B%2B
}

func ExampleData_Bytes() {
	u, _ := url.Parse("data:,A%20brief%20note")
	d, _ := u.Data()
	b, err := d.Bytes()
	fmt.Printf("%s: %s, %v\n", d.MediaType, b, err)
	// Output: text/plain; charset=US-ASCII: A brief note, <nil>
}

func ExampleURL_Resolve() {
	base, _ := url.Parse("magic://a/b/c//d/e/f")
	for _, ref := range []string{"g", "/g", "//g", "../g", "g:h"} {
		u, err := base.Resolve(ref)
		fmt.Println(u, err)
	}
	// Output:
	// magic://a/b/c//d/e/g <nil>
	// magic://a/g <nil>
	// magic://g <nil>
	// magic://a/b/c//d/g <nil>
	// g:h <nil>
}

func ExampleURL_Equal() {
	a, _ := url.Parse("http://info.cern.ch/albert/bertram/marie-claude")
	for _, s := range []string{"http://info.cern.ch:80/albert/bertram/marie%2Dclaude", "http://info.cern.ch/albert/bertram%2Fmarie-claude"} {
		b, _ := url.Parse(s)
		fmt.Println(a.Equal(b), b.Canonical())
	}
	// Output:
	// true http://info.cern.ch/albert/bertram/marie-claude
	// false http://info.cern.ch/albert/bertram%2Fmarie-claude
}

func ExampleURL_Redacted() {
	u, _ := url.Parse("ftp://u:secret@h.dom/f")
	fmt.Println(u.Redacted())
	// Output: ftp://u:***@h.dom/f
}

func ExampleFromText() {
	text := "Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;\n" +
		"type=d> but you can probably pick it up from <URL:ftp://ds.in\n" +
		"ternic.net/rfc>."
	for _, found := range url.FromText(text) {
		fmt.Println(found.URL)
	}
	// Output:
	// ftp://info.cern.ch/pub/www/doc;type=d
	// ftp://ds.internic.net/rfc
}

func ExampleFromNet() {
	n, _ := neturl.Parse("ftp://h.dom/a?b")
	u, err := url.FromNet(n)
	fmt.Printf("%s, path %q, query %q, %v\n", u, u.Path, u.Query, err)

	_, err = url.FromNet(&neturl.URL{Scheme: "http", Path: "h.dom/a"})
	fmt.Println(err)
	// Output:
	// ftp://h.dom/a?b, path "/a?b", query "", <nil>
	// malformed URL: its path would be read as a host
}

func ExampleURL_ToNet() {
	u, _ := url.Parse("http://h.dom/a%2Fb?q")
	n, err := u.ToNet()
	fmt.Println(n.Host, n.EscapedPath(), n.RawQuery, err)
	// Output: h.dom /a%2Fb q <nil>
}

func ExampleURL_JoinPath() {
	u, _ := url.Parse("ftp://h.dom/pub;type=d")
	v, err := u.JoinPath("maps", "50%.txt")
	fmt.Println(v, err)
	// Output: ftp://h.dom/pub/maps/50%25.txt <nil>
}

// A program that fetches spartan URLs defines their syntax. The rest of the program is not
// affected.
func ExampleNewSyntax() {
	syntax, err := url.NewSyntax(url.Scheme{
		Name:         "spartan",
		Names:        "a page on a Spartan server",
		Port:         300,
		Authority:    url.Required,
		Query:        true,
		Hierarchical: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	u, err := syntax.Parse("spartan://h.dom/docs/a.gmi?words")
	fmt.Println(u.Addr(), u.Path, u.Query, err)
	to, err := u.Resolve("../faq.gmi")
	fmt.Println(to, to.Addr(), err)
	_, err = syntax.Parse("spartan://me@h.dom/")
	fmt.Println(err)
	// Output:
	// h.dom:300 /docs/a.gmi ?words <nil>
	// spartan://h.dom/faq.gmi h.dom:300 <nil>
	// malformed URL: spartan URLs name no user (at byte 10)
}

// Resolve returns a URL with the Syntax of its base, also for a link from a web page.
func ExampleURL_Syntax() {
	syntax, _ := url.NewSyntax(url.Scheme{Name: "spartan", Names: "a page on a Spartan server", Port: 300, Authority: url.Required})
	page, _ := syntax.Parse("http://h.dom/")
	link, _ := page.Resolve("spartan://other.dom/")
	fmt.Println(link.Addr(), link.Syntax().Schemes())

	link, _ = url.Parse("spartan://other.dom/")
	fmt.Println(link.Addr(), link.Syntax().Schemes())
	// Output:
	// other.dom:300 [spartan]
	// other.dom:0 []
}
