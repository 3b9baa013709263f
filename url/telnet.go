package url

// Telnet holds the parts of a telnet, telnets, rlogin or tn3270 URL (RFC 1738, section 3.8; RFC
// 4248; RFC 6270): telnet://user:password@host:port/
//
// The URL names a service rather than an object. The user and the password are advice for the
// person who will use it.
type Telnet struct {
	Authority
	Service string // "telnet", "rlogin" or "tn3270"
	Secure  bool   // the scheme is telnets
}

// Telnet reads u as a telnet, telnets, rlogin or tn3270 URL. A path other than "/" is an error, and
// so is CR, LF or NUL in the user name or password.
func (u *URL) Telnet() (Telnet, error) {
	t := Telnet{Authority: u.Authority, Service: u.Scheme}
	switch u.Scheme {
	case "telnet", "rlogin", "tn3270":
	case "telnets":
		t.Service, t.Secure = "telnet", true
	default:
		return Telnet{}, errorf(-1, "not a telnet URL")
	}
	if err := u.checkLogin(); err != nil {
		return Telnet{}, err
	}
	if u.Path != "" && u.Path != "/" {
		return Telnet{}, errorf(-1, "%s URLs have no path", u.Scheme)
	}
	return t, nil
}

// URL returns the URL for t.
func (t Telnet) URL() *URL {
	u := &URL{Scheme: t.Service, Slashes: true, Authority: t.Authority, Path: "/"}
	if t.Secure {
		u.Scheme += "s"
	}
	return u
}
