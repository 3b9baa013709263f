package download_test

import (
	"crypto/sha256"
	"encoding/base64"
	nethttp "net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// TestDuplicates saves a file whose download is cut off at a server that names mirrors.
func TestDuplicates(t *testing.T) {
	sum := sha256.Sum256(v1.content)
	repr, old := field("sha-256", sum[:]), "SHA-256="+base64.StdEncoding.EncodeToString(sum[:])
	const good, other = `</good>; rel=duplicate`, `</other>; rel=duplicate`
	for name, c := range map[string]struct {
		link   []string
		header [2]string // a field with the digest of the file
		asked  string
		fails  bool
	}{
		"one":                     {link: []string{good}, header: [2]string{"Repr-Digest", repr}, asked: "/good"},
		"with the older field":    {link: []string{good}, header: [2]string{"Digest", "MD5=AAAA, " + old}, asked: "/good"},
		"in order":                {link: []string{`</good>; rel="x duplicate"; pri=2, </missing>; pri="1";rel=Duplicate; geo=de`}, header: [2]string{"Repr-Digest", repr}, asked: "/missing /good"},
		"one has something else":  {link: []string{other, good}, header: [2]string{"Repr-Digest", repr}, asked: "/other /good"},
		"one names itself":        {link: []string{`<>; rel=duplicate`, good, good}, header: [2]string{"Repr-Digest", repr}, asked: "/good"},
		"nothing proves it":       {link: []string{good}, fails: true},
		"a hash that proves none": {link: []string{good}, header: [2]string{"Digest", "MD5=AAAA, SHA=AAAA"}, fails: true},
		"another relation":        {link: []string{`</good>; rel=describedby; title="rel=duplicate"`}, header: [2]string{"Repr-Digest", repr}, fails: true},
		"one that is not allowed": {link: []string{`<file:///etc/passwd>; rel=duplicate`}, header: [2]string{"Repr-Digest", repr}, fails: true},
		"nonsense":                {link: []string{`</good; rel=duplicate`, `;;;`, `<http://h:x/>; rel=duplicate`}, header: [2]string{"Repr-Digest", repr}, fails: true},
		"the coding is hashed":    {link: []string{good}, header: [2]string{"Content-Encoding", "x"}, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
				switch r.URL.Path {
				case "/missing":
					nethttp.NotFound(w, r)
				case "/other":
					v2.serve(w, r)
				case "/good":
					v1.serve(w, r)
				default:
					w.Header()["Link"] = c.link
					if c.header[0] != "" {
						w.Header().Set(c.header[0], c.header[1])
					}
					v1.cut(w, r)
				}
			}))
			defer server.Close()
			file := filepath.Join(t.TempDir(), "file")
			var asked []string
			saver := download.Saver{Fetcher: web(t), Segments: 1, Duplicate: func(u *url.URL) *fetchers.Request {
				if u.Scheme != "http" {
					return nil
				}
				asked = append(asked, u.Path)
				return &fetchers.Request{URL: u}
			}}
			_, err := saver.SaveAny(t.Context(), []*fetchers.Request{request(t, server.URL+"/")}, download.Target{Name: file})
			if got := strings.Join(asked, " "); got != c.asked || (err != nil) != c.fails {
				t.Errorf("%v, asked %q", err, got)
			}
			if c.fails {
				wantNone(t, file)
			} else {
				wantContent(t, file, v1.content)
				wantAlone(t, file)
			}
		})
	}
}
