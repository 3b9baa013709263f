package gateway

import (
	"net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// relay answers a request to a proxy. A page of a stranger cannot send one through a browser that
// does not have the gateway for its proxy.
func (x *exchange) relay() {
	if x.as == asJSON {
		x.as = asAny // the client asks the server of the URL for JSON
	}
	if problem := x.reading(); problem != nil {
		x.refuse(problem)
		return
	}
	if problem := x.name(searchURL(x.r.RequestURI)); problem != nil {
		x.refuse(problem)
		return
	}
	x.fetch()
}

// searchURL returns the URL of a search in Gopher, which lynx writes as gopher://h.dom/7/find?two+words,
// with the TAB of RFC 4266, section 2.1. In the URLs of the gateway's pages a question mark within a
// selector is escaped.
func searchURL(text string) string {
	before, words, found := strings.Cut(text, "?")
	scheme, rest, _ := strings.Cut(before, "://")
	_, path, _ := strings.Cut(rest, "/")
	if !found || scheme != "gopher" || !strings.HasPrefix(path, "7") || strings.Contains(path, "%09") {
		return text
	}
	return before + "%09" + strings.ReplaceAll(words, "+", "%20")
}

// redirectClient answers with a redirection, for the client to follow: the document that it leads
// to is one of another origin.
func (x *exchange) redirectClient(res *fetchers.Resource) {
	status := http.StatusTemporaryRedirect
	switch res.Reply.Code {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusPermanentRedirect:
		if res.URL.Scheme == "http" || res.URL.Scheme == "https" {
			status = res.Reply.Code
		}
	}
	x.w.Header().Set("Location", res.Location.WithoutPassword().String())
	x.w.WriteHeader(status)
}

// setPolicies sets the fields by which a web server limits its document. A document that is sent as
// an attachment stays one: in its origin it might run.
func setPolicies(h http.Header, res *fetchers.Resource) {
	if res.URL.Scheme != "http" && res.URL.Scheme != "https" {
		return
	}
	for _, name := range []string{"Content-Security-Policy", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy", "Cross-Origin-Resource-Policy", "Permissions-Policy"} {
		for _, value := range res.Header[http.CanonicalHeaderKey(name)] {
			h.Add(name, value)
		}
	}
	disposition, _, _ := strings.Cut(res.Header.Get("Content-Disposition"), ";")
	if disposition = strings.TrimSpace(disposition); disposition != "" && !strings.EqualFold(disposition, "inline") {
		_, name, _ := strings.Cut(h.Get("Content-Disposition"), ";")
		h.Set("Content-Disposition", strings.TrimSuffix("attachment;"+name, ";"))
	}
}
