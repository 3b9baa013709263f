package gateway

import (
	"bytes"
	"html"
	"html/template"
	"net/http"
	neturl "net/url"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/url/idn"
)

// FuzzAddress: a link on a page leads to the URL that it is made of.
func FuzzAddress(f *testing.F) {
	for _, text := range []string{
		"http://h.example/a?b#c", "gopher://h.example/1/../up", "gopher://h.example/0/a%3Fb", "ftp://joe:secret@h.example/%2Fa;type=i",
		"news:1@x.example", "http://h.example/?", "gopher://h.example/0/?", "http://h.example/a\\b", "wais://h.example/a?b+c",
		"mailto:joe@example.org?subject=a%22b", "gemini://h.example/?%2e%2e", "http://h.example/%2e%2e/a", "gopher://h.example/7/a%09b?c&d=e",
		"http://[::1]:80/", "urn:ietf:rfc:1738", "http://h.example//a//b", "http://h.example/a?url=b&as=json", "ftp://h.example/./?",
	} {
		f.Add(text)
	}
	link := template.Must(template.New("").Parse(`<a href="{{.}}">`))
	f.Fuzz(func(t *testing.T, text string) {
		u, err := idn.Parse(text)
		if err != nil {
			return
		}
		u = u.WithoutPassword()
		u.Fragment = ""
		want := u.Redacted()
		if strings.Contains(want, "***") {
			return
		}
		for _, query := range []string{"", "as=bytes"} {
			var page bytes.Buffer
			if err := link.Execute(&page, template.URL(address(u, query))); err != nil {
				t.Fatal(err)
			}
			href := html.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(page.String(), `<a href="`), `">`))
			target, err := neturl.ParseRequestURI(href)
			if err != nil {
				t.Fatalf("%q: %v", href, err)
			}
			var q question
			if p := q.read(&http.Request{URL: target}); p != nil {
				t.Fatalf("%s leads to %q: %s", want, href, p.reason)
			}
			if got := q.url.Redacted(); got != want {
				t.Errorf("%s leads by %q to %s", want, href, got)
			}
		}
	})
}
