package gateway

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/textproto"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

//go:embed pages
var files embed.FS

// pages are the templates. Those of a page that streams are its pieces.
var pages = template.Must(template.New("").Funcs(template.FuncMap{"shown": shown}).ParseFS(files, "pages/*.html"))

// pagePolicy is the policy of the gateway's own pages (Content Security Policy Level 3).
const pagePolicy = "default-src 'none'; style-src 'self'; form-action 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'"

// A page has the values that all pages share, and the Body of its own template.
type page struct {
	Title   string
	Address string       // the URL that it is about, which the field for a URL holds; "" if there is none
	Host    string       // of that URL, in the letters of its readers; "" if that is no other
	From    string       // the URL that was asked for, if a redirection led elsewhere
	Bytes   template.URL // where the bytes are; "" if there are none
	JSON    template.URL // where the same is as JSON; "" if it is nowhere
	Up      template.URL // where the directory is that it is in; "" if there is none

	// Attributes and AllAttributes are where those of an item of Gopher+ are, and those of all
	// items of a menu; "" if there are none.
	Attributes, AllAttributes template.URL

	Script  template.JS // it runs this; "" for all pages but the first
	Proxied bool        // it is in the origin of its URL
	Body    any         // for the template of the kind
}

// pageOf returns the frame of a page about res.
func (x *exchange) pageOf(res *fetchers.Resource) page {
	u := res.URL
	if x.filled != nil && u.Equal(x.filled) {
		u = x.url // its parameters have the answers
	}
	text := u.WithoutPassword().Redacted()
	p := page{Title: text, Address: text, Host: idn.Unicode(res.URL.Host), Bytes: x.also(res, "as=bytes"), JSON: x.also(res, "as=json"), Proxied: x.proxied}
	p.Attributes, p.AllAttributes = x.attributesAt(u)
	if !u.Equal(x.url) {
		p.From = x.url.WithoutPassword().Redacted()
	}
	if up := parent(res.URL); up != nil {
		p.Up = x.link(up)
	}
	return p
}

// parent returns the directory that u is in, or nil if there is none.
func parent(u *url.URL) *url.URL {
	if !u.Hierarchical() || strings.Trim(u.Path, "/") == "" {
		return nil
	}
	ref := "./"
	if strings.HasSuffix(u.Path, "/") {
		ref = "../"
	}
	up, err := u.Resolve(ref)
	if err != nil {
		return nil
	}
	return up
}

// pageHeader sets the header of a page of the gateway.
func (x *exchange) pageHeader() {
	h := x.w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Accept")
}

// show answers with a page whose content is a template.
func (x *exchange) show(status int, name string, p page) {
	var b bytes.Buffer
	render(&b, "head", p)
	render(&b, name, p)
	render(&b, "foot", p)
	x.pageHeader()
	if p.Script != "" {
		x.w.Header().Set("Content-Security-Policy", scriptPolicy(p.Script))
	}
	x.w.WriteHeader(status)
	x.write(b.Bytes())
}

// render writes a piece of a page. It returns the error of out: the templates are tested, and
// have none.
func render(out io.Writer, name string, data any) error {
	return pages.ExecuteTemplate(out, name, data)
}

// refuse answers with the page of a problem.
func (x *exchange) refuse(p *problem) {
	subject := p.subject
	if subject == "" && x.url != nil {
		subject = x.url.WithoutPassword().Redacted()
	}
	name := "error"
	if p.status == http.StatusNotImplemented {
		name = "name"
	}
	x.show(p.status, name, page{Title: http.StatusText(p.status), Address: subject, Proxied: x.proxied, Body: map[string]string{
		"Reason": p.reason, "Class": string(p.class), "Onward": p.onward,
	}})
}

// mailbox answers with a page about a URL that names something for another program.
func (x *exchange) mailbox() {
	text := x.url.String()
	x.show(http.StatusOK, "name", page{Title: text, Address: text, JSON: x.address(x.url, "as=json"), Proxied: x.proxied, Body: map[string]string{
		"Reason": "This names " + url.Describe(x.url.Scheme) + ". It is for a mail program.", "Mail": text,
	}})
}

// redirect answers with a page about a redirection that was not followed.
func (x *exchange) redirect(res *fetchers.Resource) {
	p := x.pageOf(res)
	p.Bytes = ""
	var to row
	if res.Location != nil {
		to.URL = res.Location.WithoutPassword().Redacted()
		to.Href = x.link(res.Location)
	}
	p.Body = to
	x.show(http.StatusOK, "redirect", p)
}

// unchanged answers that the copy of the client is still good.
func (x *exchange) unchanged(res *fetchers.Resource) {
	setValidator(x.w.Header(), res.Validator)
	x.w.Header().Set("Vary", "Accept")
	x.w.WriteHeader(http.StatusNotModified)
}

// style answers with the style sheet.
func (x *exchange) style() {
	h := x.w.Header()
	h.Set("Content-Type", "text/css; charset=utf-8")
	h.Set("Cache-Control", "max-age=3600")
	sheet, _ := files.ReadFile("pages/style.css") // it is embedded
	http.ServeContent(x.w, x.r, "", start, bytes.NewReader(sheet))
}

// setValidator sets the fields that identify a state of a resource.
func setValidator(h http.Header, v fetchers.Validator) {
	if v.ETag != "" && textproto.TrimString(v.ETag) == v.ETag {
		h.Set("ETag", v.ETag)
	}
	if !v.ModTime.IsZero() && !v.Vague { // else a client could ask for the rest of another state by it
		h.Set("Last-Modified", v.ModTime.UTC().Format(http.TimeFormat))
	}
}
