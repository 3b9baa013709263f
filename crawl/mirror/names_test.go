package mirror

import "testing"

// The path of a file derives from its URL. With Adjust it has the extension for browsers.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		url, mediaType string
		plain, adjust  string
	}{
		{"http://h.example", "text/html", "h.example/index.html", "h.example/index.html"},
		{"http://h.example:8080/a/", "text/html", "h.example+8080/a/index.html", "h.example+8080/a/index.html"},
		{"http://h.example/about", "text/html", "h.example/about", "h.example/about.html"},
		{"http://h.example/a.HTM", "text/html", "h.example/a.HTM", "h.example/a.HTM"},
		{"http://h.example/a.xhtml", "text/html", "h.example/a.xhtml", "h.example/a.xhtml.html"},
		{"http://h.example/a", "application/xhtml+xml", "h.example/a", "h.example/a.xhtml"},
		{"http://h.example/a.html", "application/xhtml+xml", "h.example/a.html", "h.example/a.html.xhtml"},
		{"http://h.example/a.xht", "application/xhtml+xml", "h.example/a.xht", "h.example/a.xht"},
		{"http://h.example/p.php?id=1", "text/html", "h.example/p.php@id=1", "h.example/p.php@id=1.html"},
		{"http://h.example/?a=b.html", "text/html", "h.example/index.html@a=b.html", "h.example/index.html@a=b.html"},
		{"http://h.example/main.css?v=3", "text/css", "h.example/main.css@v=3", "h.example/main.css@v=3.css"},
		{"http://h.example/logo", "image/svg+xml", "h.example/logo", "h.example/logo.svg"},
		{"http://h.example/logo.svg", "image/svg+xml", "h.example/logo.svg", "h.example/logo.svg"},
		{"http://h.example/logo", "image/png", "h.example/logo", "h.example/logo"},
		{"http://h.example/%E9/a%2Fb:c?d/e", "image/png", "h.example/\xe9/a_b_c@d_e", "h.example/\xe9/a_b_c@d_e"},
		{"http://h.example/.a//./-b", "", "h.example/_a/_b", "h.example/_a/_b"},
	} {
		u := parse(t, c.url)
		if got := (&Mirror{}).wanted(u, c.mediaType); got != c.plain {
			t.Errorf("%s is %q, want %q", u, got, c.plain)
		}
		if got := (&Mirror{Adjust: true}).wanted(u, c.mediaType); got != c.adjust {
			t.Errorf("%s of %s is %q, want %q", u, c.mediaType, got, c.adjust)
		}
	}
}
