package url

// HTTP holds the parts of an http or https URL (RFC 1738, section 3.3).
type HTTP struct {
	Authority
	Secure bool // the scheme is https

	// Target is the request target: path and query as written, still escaped. It is never empty and
	// begins with a slash.
	Target string
}

// HTTP reads u as an http or https URL. It decodes nothing: the server gets the target as written.
func (u *URL) HTTP() (HTTP, error) {
	if u == nil || u.Scheme != "http" && u.Scheme != "https" {
		return HTTP{}, errorf(-1, "not an http URL")
	}
	path := u.Path
	if path == "" {
		path = "/" // RFC 9112, section 3.2.1
	}
	return HTTP{Authority: u.Authority, Secure: u.Scheme == "https", Target: path + u.Query}, nil
}

// URL returns the http or https URL for h.
func (h HTTP) URL() *URL {
	u := &URL{Scheme: "http", Slashes: true, Authority: h.Authority}
	if h.Secure {
		u.Scheme = "https"
	}
	u.Path, u.Query = cutBefore(repair(h.Target), '?')
	return u
}
