package gateway

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"time"
)

// start is when the program began: its style sheet is not older.
var start = time.Now()

// An example is a URL of a scheme, and a description of its resource.
type example struct{ Scheme, URL, Names string }

// examples are the examples of the first page.
var examples = []example{
	{"http", "http://www.example.org/", "a document of the web"},
	{"https", "https://www.example.org/", "the same, over TLS"},
	{"ftp", "ftp://ftp.example.org/pub/", "a directory of an FTP server"},
	{"ftps", "ftps://ftp.example.org/pub/", "the same, over TLS"},
	{"sftp", "sftp://host.example.org/pub/", "a directory of an SSH server"},
	{"scp", "scp://host.example.org/pub/file.txt", "the same server's file"},
	{"gopher", "gopher://gopher.example.org/", "a menu of Gopher"},
	{"gophers", "gophers://gopher.example.org/", "the same, over TLS"},
	{"gemini", "gemini://gemini.example.org/", "a page of Gemini"},
	{"wais", "wais://wais.example.org/garden?bees+honey", "documents about two words"},
	{"prospero", "prospero://archive.example.org/pub", "a directory of Prospero"},
	{"news", "news:comp.lang.misc", "a newsgroup, in threads"},
	{"snews", "snews://news.example.org/comp.lang.misc", "the same, over TLS"},
	{"nntp", "nntp://news.example.org/comp.lang.misc/1-50", "articles of a group by their numbers"},
	{"nntps", "nntps://news.example.org/comp.lang.misc", "the same, over TLS"},
	{"finger", "finger://host.example.org/joe", "a user of a machine"},
	{"dict", "dict://dict.example.org/d:gopher", "definitions of a word"},
	{"s3", "s3://bucket/directory/", "objects of a bucket"},
	{"tftp", "tftp://boot.example.org/config", "a file by TFTP"},
	{"z39.50s", "z39.50s://library.example.org/books", "a catalogue to search"},
	{"z39.50r", "z39.50r://library.example.org/books?42", "a record of it"},
	{"telnet", "telnet://host.example.org/", "a service for a terminal"},
	{"telnets", "telnets://host.example.org/", "the same, over TLS"},
	{"rlogin", "rlogin://host.example.org/", "a login at a host"},
	{"tn3270", "tn3270://host.example.org/", "a service for a 3270 terminal"},
	{"mailto", "mailto:joe@example.org", "a mailbox"},
	{"urn", "urn:ietf:rfc:1738", "a document, wherever it is"},
	{"mid", "mid:1@example.org", "a message by its identifier"},
}

// registrable are the schemes of those that a browser lets a page register for, as far as the
// gateway shows more than their name (HTML, section 8.9.1.3, safelisted schemes).
var registrable = []string{"ftp", "ftps", "sftp", "news", "nntp", "urn"}

// A startPage is the first page.
type startPage struct {
	Examples    []example
	Registrable []string
	Copy        bool // there is one
}

// registerScript is the script of the first page: the buttons are there only if it runs.
//
//go:embed pages/register.js
var registerScript template.JS

// scriptPolicy returns the policy of a page that runs a script, and no other.
func scriptPolicy(script template.JS) string {
	sum := sha256.Sum256([]byte(script))
	return pagePolicy + "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// start answers with the first page.
func (x *exchange) start() {
	var known []example
	for _, e := range examples {
		if x.knows(e.Scheme) {
			known = append(known, e)
		}
	}
	p := startPage{Examples: known, Copy: x.Copy != nil}
	for _, scheme := range registrable {
		if x.knows(scheme) {
			p.Registrable = append(p.Registrable, scheme)
		}
	}
	x.show(http.StatusOK, "start", page{Title: "Gateway", Body: p, Script: registerScript})
}
