package url

// A scheme is what Parse needs to know about the URLs of one scheme.
type scheme struct {
	port      uint16
	authority rule // whether "//" follows
	user      bool // whether a user may be named
	query     bool // whether "?" separates a query
}

type rule uint8

const (
	optional rule = iota
	required
	never
)

// schemeOf returns the rules for the scheme called name. It is a switch rather
// than a map so that a program pays nothing for it when it starts.
func schemeOf(name string) scheme {
	switch name {
	case "ftp":
		return scheme{port: 21, authority: required, user: true}
	case "ftps":
		return scheme{port: 990, authority: required, user: true}
	case "http":
		return scheme{port: 80, authority: required, user: true, query: true}
	case "https":
		return scheme{port: 443, authority: required, user: true, query: true}
	case "gopher":
		return scheme{port: 70, authority: required}
	case "file":
		return scheme{authority: required}
	case "news":
		return scheme{port: 119, user: true}
	case "nntp":
		return scheme{port: 119, authority: required, user: true}
	case "telnet", "tn3270":
		return scheme{port: 23, authority: required, user: true}
	case "rlogin":
		return scheme{port: 513, authority: required, user: true}
	case "wais":
		return scheme{port: 210, authority: required, query: true}
	case "prospero":
		return scheme{port: 1525, authority: required}
	case "mailto":
		return scheme{authority: never, query: true}
	case "mid", "cid", "urn", "data":
		return scheme{authority: never}
	}
	return scheme{user: true, query: true}
}

// DefaultPort returns the port of a scheme's servers, or 0 if the scheme is
// unknown or has no port.
func DefaultPort(scheme string) uint16 { return schemeOf(scheme).port }
