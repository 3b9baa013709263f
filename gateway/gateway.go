package gateway

import (
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A Handler answers requests of HTTP with the resources that URLs name. Only Fetcher is required.
// Its fields must not change in use, and it may be used by many goroutines at once.
//
// It is for an origin of its own: its links begin at the root of the server. It has to stand before
// a http.ServeMux, which merges the slashes of /fetch/ftp://h.example/ and redirects the client.
type Handler struct {
	// Fetcher fetches the URLs. It is usually a fetchers.Limiter around a fetchers.Client.
	Fetcher fetchers.Fetcher

	// Schemes are the schemes that are fetched, and that links lead to. If nil, they are
	// those of the Fetcher, if that is a Registry, or a Client or Limiter around one, without
	// those of this machine (file) and without data. Where redirections lead is for Client.Follow.
	Schemes []string

	// Hosts are the names by which clients may reach the Handler, as in the field Host. A name
	// without a port is good for any port. If nil, they are localhost, 127.0.0.1 and [::1].
	Hosts []string

	// Trusted fetches each URL as one that the user has named: with the user and the password
	// of the URL, and with the secrets of the Fetcher. Any client of the Handler then has them.
	// A request to a Proxy has none all the same: any page may have a browser send it.
	Trusted bool

	// Proxy answers requests for whole URLs too, as clients send them to a proxy (RFC 9112,
	// section 3.2.2). Each answer is then in the origin of its URL, and so redirections are
	// left to the client. CONNECT is refused, unless ConnectPorts allows it.
	Proxy bool

	// ConnectPorts are the ports to which a Proxy opens tunnels, by CONNECT (RFC 9110, section
	// 9.3.6). If nil, there are none.
	ConnectPorts []uint16

	// Dial opens the connections of CONNECT. If nil, it is that of a nil fetchers.Network. A rule
	// about addresses belongs here: see fetchers.Guarded.
	Dial fetchers.DialFunc

	// Stall is how long a client may take no bytes before its fetch ends: 0 means a minute.
	Stall time.Duration

	// Copy is a directory that is shown below /copy/, such as a mirror.Copy. Its files have to be
	// io.ReadSeekers. If it has a method MediaType(name string) string, that has the media types
	// of files, and "" for one that follows from the name.
	Copy fs.FS

	// MaxFetches is how many fetches run at a time, and MaxPerHost how many of URLs with one host;
	// MaxWaiting is how many requests wait for one of them to end, of which a host has half.
	// Further ones are refused by 503. 0 means 100, 8 and 256; less than 0 is any number.
	MaxFetches, MaxPerHost, MaxWaiting int

	// Metrics count the fetches, and /metrics shows them. If nil, there is no such page.
	Metrics *Metrics

	token   token // in the addresses of the files of Copy
	room    admission
	tunnels tunnels
}

// defaultHosts are the Hosts of a Handler that has none.
var defaultHosts = []string{"localhost", "127.0.0.1", "[::1]"}

// ServeHTTP answers r. It panics with http.ErrAbortHandler, which a server of net/http expects,
// if a document is cut short after its header was sent: in HTTP/1.1 and HTTP/2 nothing else
// tells the client.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.room.limit(h)
	x := &exchange{Handler: h, w: w, r: r}
	if h.Metrics != nil {
		x.w = counter{w, &h.Metrics.sent}
	}
	x.serve()
}

// An exchange is one request and its answer.
type exchange struct {
	*Handler
	w http.ResponseWriter
	r *http.Request
	question
	proxied bool     // the request is one to a proxy
	filled  *url.URL // the URL of a form with the answers; nil before
}

// serve answers the request.
func (x *exchange) serve() {
	x.as = preferred(x.r.Header)
	x.leaveBody()
	if x.looped() {
		x.refuse(loop)
		return
	}
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	if x.proxied = x.Proxy && x.r.URL.IsAbs() && x.r.Method != http.MethodConnect; x.proxied {
		x.relay()
		return
	}
	x.w.Header().Set("Referrer-Policy", "no-referrer")
	x.w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	x.w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
	if x.Proxy && x.r.Method == http.MethodConnect {
		x.connect()
		return
	}
	if problem := x.guard(); problem != nil {
		x.refuse(problem)
		return
	}
	switch path := x.r.URL.Path; {
	case path == "/style.css":
		x.style()
		return
	case path == "/favicon.ico":
		x.w.WriteHeader(http.StatusNoContent) // a browser asks for it, and calls a 404 an error
		return
	case path == "/" && x.r.URL.RawQuery == "":
		x.start()
		return
	case path == "/metrics" && x.Metrics != nil:
		x.metrics()
		return
	case x.Copy != nil && strings.HasPrefix(path, "/copy"):
		x.copy()
		return
	case path == "/", strings.HasPrefix(path, "/fetch/"):
	default:
		x.refuse(&problem{status: http.StatusNotFound, reason: "There is no such page. A URL to fetch follows /fetch/."})
		return
	}
	if problem := x.read(x.r); problem != nil {
		x.refuse(problem)
		return
	}
	if problem := x.crossing(x.url.WithoutPassword().Redacted()); problem != nil {
		x.refuse(problem)
		return
	}
	x.fetch()
}

// fetch fetches the URL of the question and answers with the result.
func (x *exchange) fetch() {
	if err := x.allowed(x.url); err != nil {
		x.Metrics.blocked(x.url.Scheme, err)
		x.fail(err)
		return
	}
	if x.url.Scheme == "mailto" && x.as != asBytes && x.as != asJSON {
		x.mailbox()
		return
	}
	req := x.request()
	x.url = req.URL // without the user, if that is not sent
	leave := x.admit(x.url.Host)
	if leave == nil {
		return
	}
	defer leave()
	x.take(req)
}

// take fetches req and answers with the result.
func (x *exchange) take(req *fetchers.Request) {
	res, err := x.Metrics.fetch(x.r.Context(), x.Fetcher, req)
	if err != nil {
		x.fail(err)
		return
	}
	defer res.Close()
	x.answer(res)
}

// submitting reports whether the answers to a form are still to be sent.
func (x *exchange) submitting() bool { return x.answers != nil && x.filled == nil }

// request returns the Request for the URL of the question. If the question has words for an index or
// answers to a form, the conditions of the client are left out: they are for the URL that these make.
func (x *exchange) request() *fetchers.Request {
	req := &fetchers.Request{URL: x.url, ModTime: true, NoFollow: x.proxied}
	if !x.asking() && !x.submitting() {
		req.Like = x.like
		req.Describe = x.r.Method == http.MethodHead && x.part == 0 // a part needs the body
		if x.part == 0 && (x.as == asAny || x.as == asBytes) {
			setConditions(req, x.r.Header)
		}
	}
	if !x.Trusted || x.proxied {
		req = req.FromStranger()
	}
	req.Header = x.via()
	return req
}

// answer answers with res, in the form that the client wants.
func (x *exchange) answer(res *fetchers.Resource) {
	document := res.Kind == fetchers.Document || res.Kind == fetchers.Unknown
	switch {
	case x.asking():
		x.ask(res)
	case x.submitting():
		x.submit(res)
	case res.Kind == fetchers.Unchanged:
		x.unchanged(res)
	case x.part > 0:
		x.messagePart(res)
	case x.as == asJSON && res.Kind == fetchers.Listing:
		x.entries(res)
	case x.as == asJSON:
		x.facts(res)
	case x.as == asBytes && (document || res.Kind == fetchers.Listing || res.Kind == fetchers.Index && res.MediaType != ""):
		x.bytes(res)
	case res.Kind == fetchers.Listing:
		x.listing(res)
	case res.Kind == fetchers.Index:
		x.index(res)
	case res.Kind == fetchers.Session:
		x.session(res)
	case res.Kind == fetchers.Redirect && x.proxied && res.Location != nil && x.knows(res.Location.Scheme):
		x.redirectClient(res)
	case res.Kind == fetchers.Redirect:
		x.redirect(res)
	case x.as == asPage, x.as == asHTML && readable(res):
		x.document(res)
	default:
		x.bytes(res)
	}
}

// allowed returns an error if the scheme of u is none that is fetched here.
func (h *Handler) allowed(u *url.URL) error {
	switch {
	case h.knows(u.Scheme):
		return nil
	case url.Reserved(u.Scheme):
		return fetchers.NewError("fetch", u, fmt.Errorf("%w: %s names %s", fetchers.ErrNotRetrievable, u.Scheme, url.Describe(u.Scheme)))
	case url.Describe(u.Scheme) != "":
		return fetchers.NewError("fetch", u, fmt.Errorf("%w: the gateway does not fetch URLs of the scheme %s", fetchers.ErrBlocked, u.Scheme))
	}
	return &fetchers.Error{Op: "fetch", URL: url.Redact(u.Redacted()), Err: fmt.Errorf("%w: %s", fetchers.ErrUnknownScheme, u.Scheme)}
}

// knows reports whether URLs of a scheme are fetched here.
func (h *Handler) knows(scheme string) bool {
	if h.Schemes != nil {
		return slices.Contains(h.Schemes, scheme)
	}
	return scheme != "data" && !url.Local(scheme) && slices.Contains(schemesOf(h.Fetcher), scheme)
}

// schemesOf returns the schemes of a Registry, or of one within f.
func schemesOf(f fetchers.Fetcher) []string {
	switch f := f.(type) {
	case interface{ Schemes() []string }:
		return f.Schemes()
	case *fetchers.Client:
		return schemesOf(f.Fetcher)
	case *fetchers.Limiter:
		return schemesOf(f.Fetcher)
	}
	return nil
}

// fail answers with an error, for which nothing was sent yet.
func (x *exchange) fail(err error) {
	if x.r.Context().Err() != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	p := problemOf(err)
	setRange(x.w.Header(), err)
	if x.as == asJSON {
		rec := record.New(x.url, time.Now())
		rec.Fill(nil, err)
		x.json(p.status, rec)
		return
	}
	x.refuse(p)
}
