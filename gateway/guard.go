package gateway

import (
	"net"
	"net/http"
	neturl "net/url"
	"slices"
	"strings"
	"time"
)

// guard returns the reason why a request is refused before its URL is looked at.
func (x *exchange) guard() *problem {
	switch {
	case x.r.Method == http.MethodConnect || x.r.URL.IsAbs() || x.r.URL.Host != "":
		return &problem{status: http.StatusForbidden, reason: "This is no proxy."}
	case !x.reached(x.r.Host):
		return &problem{status: http.StatusForbidden, reason: "The gateway has no such name. It answers by the names that it was started with."}
	}
	return x.reading()
}

// reading returns the reason why a request is refused that does more than read.
func (x *exchange) reading() *problem {
	switch {
	case x.r.Method != http.MethodGet && x.r.Method != http.MethodHead:
		x.w.Header().Set("Allow", "GET, HEAD")
		return &problem{status: http.StatusMethodNotAllowed, reason: "The gateway only reads: by GET and HEAD."}
	case x.r.ContentLength != 0:
		return bad("A request to read has no body.")
	}
	return nil
}

// leaveBody ends the connection after the answer, if the request has a body. Package net/http reads
// the rest of a body, for which a client may let it wait.
func (x *exchange) leaveBody() {
	if x.r.ContentLength != 0 {
		x.w.Header().Set("Connection", "close")
		http.NewResponseController(x.w).SetReadDeadline(time.Now()) // without one, the server has a limit of its own
	}
}

// reached reports whether host, with or without a port, is a name of the Handler. A page of a
// stranger whose name leads to this machine (DNS rebinding) has that name in the field Host.
func (h *Handler) reached(host string) bool {
	names := h.Hosts
	if names == nil {
		names = defaultHosts
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return strings.EqualFold(host, name) || strings.EqualFold(nameIn(host), name)
	})
}

// nameIn returns host without its port.
func nameIn(host string) string {
	name, _, err := net.SplitHostPort(host)
	switch {
	case err != nil:
		return host
	case strings.Contains(name, ":"):
		return "[" + name + "]"
	}
	return name
}

// crossing returns the reason why a request for a subject is refused that comes from a page of
// another site: that of a link has a link to go on by, and anything else is embedded.
func (x *exchange) crossing(subject string) *problem {
	site, origin := x.r.Header.Get("Sec-Fetch-Site"), x.r.Header.Get("Origin")
	foreign := origin != "" && !x.own(origin)
	if !foreign && (site == "" || site == "same-origin" || site == "none") {
		return nil
	}
	if !foreign && x.r.Header.Get("Sec-Fetch-Mode") == "navigate" && x.r.Header.Get("Sec-Fetch-Dest") == "document" {
		p := &problem{status: http.StatusForbidden, reason: "A page that is not of the gateway leads to this URL. If you want to fetch it, follow the link."}
		if x.url != nil {
			if g, _ := x.url.Gopher(); len(x.answers) > 0 || g.Block != "" {
				p.reason = "A page that is not of the gateway leads to this URL, and has filled the form there. If you want to send the answers, follow the link."
			}
		}
		p.subject, p.onward = subject, x.onward()
		return p
	}
	return &problem{status: http.StatusForbidden, reason: "A page of another site cannot use the gateway."}
}

// own reports whether an Origin is that of the Handler.
func (x *exchange) own(origin string) bool {
	u, err := neturl.Parse(origin)
	return err == nil && u.Host != "" && strings.EqualFold(u.Host, x.r.Host)
}

// onward returns the address of the request again.
func (x *exchange) onward() string {
	if path := x.r.URL.EscapedPath(); path != "/" {
		if x.r.URL.RawQuery != "" {
			path += "?" + x.r.URL.RawQuery
		}
		return path
	}
	return "/?" + x.r.URL.RawQuery
}
