package gateway

import (
	"errors"
	"html/template"
	"mime"
	"net/http"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// A form is the form of an answer: a page, bytes or JSON.
type form int

const (
	asAny   form = iota // no form is preferred
	asHTML              // Accept names text/html: a page is welcome
	asPage              // the parameter as requests a page
	asBytes             // the parameter as requests the bytes
	asJSON
)

// A question is the URL and the parameters of a request.
type question struct {
	url *url.URL
	as  form

	sort   string // of a listing; "" if the request does not say
	down   bool   // it is sorted downwards
	filter string // a text that each row has

	words   *string        // for an index; nil if there are none
	like    []*url.URL     // documents of relevance feedback, for a search
	answers map[int]string // to the fields of a form, from 1; nil if there are none
	part    int            // of a message, from 1; 0 is all of it
}

// asking reports whether words are for an index.
func (q *question) asking() bool { return q.words != nil }

// read reads the question of r.
func (q *question) read(r *http.Request) *problem {
	text, query, problem := target(r)
	if problem != nil {
		return problem
	}
	values, err := neturl.ParseQuery(query)
	if err != nil {
		return bad("The query of the request is malformed.")
	}
	for name, all := range values {
		if len(all) > 1 && name != "like" {
			return bad("The parameter " + strconv.Quote(name) + " is there more than once.")
		}
		if name == "url" && r.URL.Path == "/" {
			text = all[0]
		} else if problem := q.parameter(name, all[0]); problem != nil {
			return problem
		}
	}
	if problem := q.name(text); problem != nil {
		return problem
	}
	return q.readLike(values["like"])
}

// carried returns the parameters that belong to the resource as its URL does, or "".
func (q *question) carried() neturl.Values {
	values := make(neturl.Values)
	for _, u := range q.like {
		values.Add("like", u.Redacted())
	}
	for n, answer := range q.answers {
		values.Set(answerName+strconv.Itoa(n), answer)
	}
	return values
}

// name reads the text of the URL.
func (q *question) name(text string) *problem {
	u, err := idn.Parse(url.Unwrap(text))
	if err != nil {
		reason := "it names no scheme and no host"
		if e, ok := errors.AsType[*url.Error](err); ok {
			reason = e.Reason
		}
		p := bad("This is no URL: " + reason + ".")
		p.subject = url.Redact(text)
		return p
	}
	u.Fragment = ""
	q.url = u
	return nil
}

// target returns the URL after /fetch/, and the query that is not part of it.
func target(r *http.Request) (text, query string, _ *problem) {
	text, found := strings.CutPrefix(r.URL.EscapedPath(), "/fetch/")
	if !found {
		return "", r.URL.RawQuery, nil
	}
	scheme, _, literal := strings.Cut(text, ":")
	if literal && !strings.ContainsAny(scheme, "%/") {
		if r.URL.RawQuery != "" || r.URL.ForceQuery {
			text += "?" + r.URL.RawQuery
		}
		return text, "", nil
	}
	text, err := neturl.PathUnescape(text)
	if err != nil {
		return "", "", bad("The path of the request is malformed.")
	}
	return text, r.URL.RawQuery, nil
}

// parameter reads a parameter beside the URL.
func (q *question) parameter(name, value string) *problem {
	switch name {
	case "as":
		form, ok := map[string]form{"page": asPage, "bytes": asBytes, "json": asJSON}[value]
		if !ok {
			return bad("The parameter as is page, bytes or json.")
		}
		q.as = form
	case "sort":
		if !slices.Contains(orders, value) {
			return bad("The parameter sort is one of " + strings.Join(orders, ", ") + ".")
		}
		q.sort = value
	case "order":
		if value != "up" && value != "down" {
			return bad("The parameter order is up or down.")
		}
		q.down = value == "down"
	case "filter":
		q.filter = value
	case "q":
		q.words = &value
	case "like": // read once the URL is known
	case "part":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return bad("The parameter part is a number from 1 on.")
		}
		q.part = n
	default:
		if number, ok := strings.CutPrefix(name, answerName); ok {
			return q.readAnswer(number, value)
		}
		return bad("There is no parameter " + strconv.Quote(name) + ".")
	}
	return nil
}

// preferred returns the form that a field Accept prefers.
func preferred(h http.Header) form {
	page, structured := 0.0, 0.0
	for _, value := range strings.Split(strings.Join(h.Values("Accept"), ","), ",") {
		mediaType, params, err := mime.ParseMediaType(strings.TrimSpace(value))
		if err != nil {
			continue
		}
		weight := 1.0
		if q, err := strconv.ParseFloat(params["q"], 64); err == nil {
			weight = q
		}
		switch mediaType {
		case "text/html", "application/xhtml+xml":
			page = max(page, weight)
		case "application/json", "application/x-ndjson":
			structured = max(structured, weight)
		}
	}
	switch {
	case structured > page:
		return asJSON
	case page > 0:
		return asHTML
	}
	return asAny
}

// address returns the path at which the gateway shows u, with the parameters of query, which may be
// "". A browser removes path segments that are dots, and so such a URL is escaped.
func address(u *url.URL, query string) string {
	text := u.WithoutPassword().Redacted()
	if query == "" && plain(text) {
		return "/fetch/" + text
	}
	address := "/?url=" + neturl.QueryEscape(text)
	if query != "" {
		address += "&" + query
	}
	return address
}

// plain reports whether a browser sends a URL as it is in a path.
func plain(text string) bool {
	path, _, _ := strings.Cut(text, "?")
	for _, segment := range strings.Split(path, "/") {
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".", "..":
			return false
		}
	}
	return !strings.ContainsAny(text, "#\\")
}

// link returns the address in the gateway for an entry with the URL u, or "" if the gateway does
// not show it.
func (x *exchange) link(u *url.URL) template.URL {
	if u == nil || u.Scheme == "data" || !x.knows(u.Scheme) {
		return ""
	}
	return x.address(u, "")
}

// address returns the target of a link to u in a page. In an answer of the proxy it is u itself,
// without parameters. It is "" for a URL with a secret in it, such as a filled form. The scheme of
// the result is one that the Handler knows, and html/template escapes the text.
func (x *exchange) address(u *url.URL, query string) template.URL {
	switch {
	case u.Ambiguous():
		return ""
	case !x.proxied:
		return template.URL(address(u, query))
	case query != "":
		return ""
	}
	return template.URL(u.WithoutPassword().Redacted())
}

// also returns the address of the same resource with further parameters, for a link in its page.
func (x *exchange) also(res *fetchers.Resource, query string) template.URL {
	if carried := x.carried(); len(carried) > 0 {
		return x.address(x.url, carried.Encode()+"&"+query)
	}
	return x.address(res.URL, query)
}
