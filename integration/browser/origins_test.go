package browser

import (
	"fmt"
	"net/http"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/webtest"
)

// Origins are servers of the protocols that a walk leads through. The menu at Gopher leads to all of them.
type origins struct {
	gopher, ftp, web, wais, prospero, telnet string // URLs without a slash at the end
	news                                     string // host:port
}

// day is when the files were last modified.
var day = time.Date(1994, 12, 20, 10, 30, 0, 0, time.UTC)

// long is a line that is wider than a small window, without a space in it.
const long = "a-name-without-a-space-that-is-longer-than-the-window-of-a-small-telephone-is-wide.tar.gz"

var ftpFiles = fstest.MapFS{
	"pub/README":          {Data: []byte("Files for everyone.\n\n" + long + "\n" + "A line of prose that a small window cannot show whole, and which is wrapped or scrolls within its own box.\n"), ModTime: day},
	"pub/rfc/rfc1738.txt": {Data: []byte("Uniform Resource Locators (URL)\n"), ModTime: day},
	"pub/rfc/rfc1808.txt": {Data: make([]byte, 34_950), ModTime: day},
	"pub/images.tar":      {Data: make([]byte, 1_234_567), ModTime: day},
	"pub/résumé.txt":      {Data: []byte("text\n"), ModTime: day},
	"pub/" + long:         {Data: make([]byte, 99_999), ModTime: day},
	"pub/<b>bold &.html":  {Data: []byte("<!DOCTYPE html><p>a file"), ModTime: day},
}

// article returns the text of an article.
func article(id, from, subject, references, body string) *fstest.MapFile {
	text := "From: " + from + "\nSubject: " + subject + "\nDate: Tue, 20 Dec 1994 10:30:00 GMT\nNewsgroups: comp.infosystems.test\nMessage-ID: <" + id + ">\n"
	if references != "" {
		text += "References: " + references + "\n"
	}
	return &fstest.MapFile{Data: []byte(text + body)}
}

const attached = `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=border

--border
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

> Where do I find the grammar?

It is attached. Gr=FC=DFe
--border
Content-Type: text/html; name=grammar.html
Content-Disposition: attachment; filename=grammar.html

<!DOCTYPE html><title>Grammar</title><h1>Grammar</h1>
--border--
`

var newsFiles = fstest.MapFS{
	"newsgroups":              {Data: []byte("comp.infosystems.test\tTests of information systems\n")},
	"comp.infosystems.test/1": article("1@example.org", "Joe Doe <joe@example.org>", "Grammar of URLs", "", "\nWhere do I find the grammar?\n"),
	"comp.infosystems.test/2": article("2@example.org", "Ann Other <ann@example.org>", "Gopher menus", "", "\nHow long are they?\n"),
	"comp.infosystems.test/3": article("3@example.org", "=?iso-8859-1?q?J=FCrgen?= <j@example.org>", "Re: Grammar of URLs", "<1@example.org>", attached),
	"comp.infosystems.test/4": article("4@example.org", "joe@example.org (Joe Doe)", "Re: Grammar of URLs, and a subject that goes on and on until the window ends", "<1@example.org> <3@example.org>", "\nThank you.\n"),
}

var waisFiles = fstest.MapFS{
	"garden/bees.txt":  {Data: []byte("Keeping bees\n\nHoney is taken in August.\n"), ModTime: day},
	"garden/honey.txt": {Data: []byte("Honey of the garden\n\nHoney, honey and bees.\n"), ModTime: day},
}

// startOrigins starts the servers, which end with the test.
func startOrigins(t *testing.T) *origins {
	t.Helper()
	o := new(origins)
	o.ftp = ftptest.New(t, ftpFiles).URL
	o.news = nntptest.New(t, newsFiles).Addr
	o.wais = waistest.New(t, waisFiles).URL
	o.telnet = telnettest.New(t).URL
	o.prospero = prosperotest.New(t, prosperotest.Names{
		"/archive":           {Links: []prosperotest.Link{{Name: "papers", HSOName: "/archive/papers", Target: "DIRECTORY"}, {Name: "index.txt", HSOName: "/archive/index.txt"}}},
		"/archive/papers":    {Links: []prosperotest.Link{{Name: "prospero.txt", HSOName: "/archive/index.txt"}}},
		"/archive/index.txt": {Contents: []byte("The archive has papers.\n"), Modified: day},
	}).URL
	o.web = webtest.New(t, nil, webtest.Handler(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, o.ftp+"/pub/", http.StatusFound)
		case "/page.html":
			fmt.Fprint(w, `<!DOCTYPE html><title>web</title><p>shown`)
		default:
			http.NotFound(w, r)
		}
	})).URL
	o.gopher = gophertest.New(t, fstest.MapFS{
		"pub/hello.txt": {Data: []byte("Hello from Gopher <b>space</b>.\n\n" + long + "\n")},
		"pub/a.gif":     {Data: []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")},
	}, gophertest.Search("/find", func(words string) string {
		return "i" + words + ": one item\n0The item about " + words + "\t/pub/hello.txt\n"
	}), gophertest.Menu("/all", "   ________________________________________________________________________\n"+
		"  /  Welcome to the burrow.   <script>alert(1)</script>                      \\\n"+
		"  \\__________________________________________________________________________/\n"+
		"0A text\t/pub/hello.txt\n1Files of this burrow\t/pub\n7Search the burrow\t/find\n9"+long+"\t/pub/a.gif\n"+
		"hFiles by FTP\tURL:"+o.ftp+"/pub/\nhNews\tURL:news:comp.infosystems.test\nhA garden in WAIS\tURL:"+o.wais+"/garden\n"+
		"hAn archive of Prospero\tURL:"+o.prospero+"//archive\nhA service for terminals\tURL:"+o.telnet+"/\n"+
		"hA page of the web\tURL:"+o.web+"/page.html\nhA page that has moved\tURL:"+o.web+"/moved\nhA mailbox\tURL:mailto:joe@example.org\n"+
		"hA script\tURL:javascript:alert(1)\n")).URL
	return o
}
