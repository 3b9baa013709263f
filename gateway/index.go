package gateway

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/url"
)

// maxAbout is how much of the description of an index is shown.
const maxAbout = 64 << 10

// An index is the page of an Index.
type index struct {
	URL      string
	Question string // in the words of the server; "" if it has none
	About    string // a description; "" if it has none
	Secret   bool   // it asks for a secret, which is not passed on
	Example  string // a URL with words, where there is no field for them; "" if there is one
}

// index answers with a page that has a field for the words.
func (x *exchange) index(res *fetchers.Resource) {
	if form := gopher.FormOf(res); form != nil {
		x.form(res, form)
		return
	}
	p := x.pageOf(res)
	i := index{URL: p.Address, Secret: gemini.IsSecret(res)}
	if x.proxied && res.Query != nil {
		i.Example = res.Query("words").Redacted()
	}
	if res.URL.Scheme == "gemini" {
		i.Question = res.Reply.Text
	}
	if res.MediaType == "" {
		p.Bytes = ""
	} else {
		text, err := io.ReadAll(io.LimitReader(asUTF8(res, res.Body), maxAbout))
		i.About = string(text)
		if err != nil {
			x.fail(err)
			return
		}
	}
	p.Body = i
	x.show(http.StatusOK, "index", p)
}

// ask leads to the answer to the words of the question.
func (x *exchange) ask(res *fetchers.Resource) {
	if res.Kind != fetchers.Index || res.Query == nil {
		x.refuse(bad("This is no index, and takes no words."))
		return
	}
	if gemini.IsSecret(res) {
		x.refuse(&problem{status: http.StatusForbidden, reason: "The gateway passes no secrets on."})
		return
	}
	u := res.Query(*x.words)
	if u == nil {
		x.refuse(bad("The index cannot be asked for these words."))
		return
	}
	x.w.Header().Set("Vary", "Accept")
	query := x.carried()
	if as := x.kept(); as != "" {
		query.Set("as", as)
	}
	x.w.Header().Set("Location", address(u, query.Encode()))
	x.w.WriteHeader(http.StatusSeeOther)
}

// kept returns the value of the parameter as for the form that the client asks for.
func (x *exchange) kept() string {
	switch {
	case x.as == asJSON:
		return "json"
	case x.as == asBytes:
		return "bytes"
	case x.as == asPage:
		return "page"
	}
	return ""
}

// A session is the page of a Session.
type session struct {
	Service, Addr, User, Command string
}

// session answers with a page about an interactive service, with a command that opens it.
func (x *exchange) session(res *fetchers.Resource) {
	hint := res.Session
	p := x.pageOf(res)
	p.Bytes = ""
	s := session{Service: hint.Service, Addr: hint.Addr, User: hint.Login.User, Command: command(hint)}
	p.Body = s
	x.show(http.StatusOK, "session", p)
}

// command returns the line that opens a service in a shell. It is "" for an unknown service, and
// for a host that could be more than a name to a shell or the program.
func command(hint *fetchers.SessionHint) string {
	host, port, err := net.SplitHostPort(hint.Addr)
	if err != nil || !word(host) || !word(port) {
		return ""
	}
	login := ""
	if word(hint.Login.User) {
		login = " -l " + hint.Login.User
	}
	switch hint.Service {
	case "telnet":
		return "telnet" + login + " " + host + " " + port
	case "telnets":
		return "openssl s_client -connect " + net.JoinHostPort(host, port)
	case "rlogin":
		if port != strconv.Itoa(int(url.DefaultPort("rlogin"))) {
			login += " -p " + port
		}
		return "rlogin" + login + " " + host
	case "tn3270":
		return "c3270 " + net.JoinHostPort(host, port)
	case "cso":
		return "ph -s " + host + " -p " + port
	}
	return ""
}

// word reports whether text is one word to a shell, and no flag to a program.
func word(text string) bool {
	return text != "" && text[0] != '-' && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:_-") == ""
}
