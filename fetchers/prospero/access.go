package prospero

import (
	neturl "net/url"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// contentsMethod is the access method of Prospero itself.
const contentsMethod = "PROSPERO-CONTENTS"

// A method is one way to get an object: the value of an attribute ACCESS-METHOD.
type method struct {
	name     string
	hostType string
	host     string // "" means the host of the object
	nameType string
	hsoname  string // "" means the name of the object
	extra    string // a mode, a type, or a text for people
}

// methodsOf returns the access methods in the order of the server, the best first. A method with
// fewer than five tokens is malformed.
func methodsOf(attributes []Attribute) (methods []method) {
	for _, a := range attributes {
		if a.Name != "ACCESS-METHOD" || len(a.Values) < 5 {
			continue
		}
		m := method{name: a.Values[0], hostType: a.Values[1], host: a.Values[2], nameType: a.Values[3], hsoname: a.Values[4]}
		if len(a.Values) > 5 {
			m.extra = a.Values[5]
		}
		methods = append(methods, m)
	}
	return methods
}

// names returns the distinct names of the methods, for messages.
func names(methods []method) string {
	var list []string
	for _, m := range methods {
		if !slices.Contains(list, m.name) {
			list = append(list, m.name)
		}
	}
	return strings.Join(list, ", ")
}

// A place supplies the empty parts of a method. Port 0 means the default port of the service.
type place struct {
	hostType string
	host     string
	port     uint16
	nameType string
	name     string
}

// filled returns the complete place of m, if it is on the Internet.
func (m method) filled(p place) (place, bool) {
	if m.hostType != "" {
		p.hostType = m.hostType
	}
	if m.host != "" {
		var ok bool
		if p.host, p.port, ok = parseHost(m.host); !ok {
			return place{}, false
		}
	}
	if m.nameType != "" {
		p.nameType = m.nameType
	}
	if m.hsoname != "" {
		p.name = m.hsoname
	}
	return p, p.host != "" && p.hostType == "INTERNET-D" && p.nameType == "ASCII" && !strings.ContainsAny(p.name, "\r\n\x00")
}

// url returns the URL of m, and the Kind of its resource, or nil if m is not usable: the client
// never opens files of a local disk or a mounted file system for a server, and FTP needs an
// account. Each byte of a name is escaped, so that it remains a single name.
func (m method) url(from place) (*url.URL, fetchers.Kind) {
	p, ok := m.filled(from)
	if m.name == "WAIS" {
		return gateway(p.name), fetchers.Document
	}
	if !ok {
		return nil, fetchers.Unknown
	}
	switch m.name {
	case contentsMethod:
		if p.port == 0 {
			p.port = defaultPort
		}
		return object{host: p.host, port: p.port, name: p.name}.url(), fetchers.Document
	case "AFTP":
		return anonymousFTP(p, m.extra)
	case "GOPHER":
		return gopher(p, m.extra)
	case "TELNET", "TN3270":
		service := url.Telnet{Authority: authority(p.host, p.port, 23), Service: strings.ToLower(m.name)}
		return checked(service.URL()), fetchers.Session
	}
	return nil, fetchers.Unknown
}

// anonymousFTP returns the URL of a path in the root of anonymous FTP.
func anonymousFTP(p place, mode string) (*url.URL, fetchers.Kind) {
	parts := strings.Split(strings.TrimPrefix(p.name, "/"), "/")
	what, kind := url.FTP{Authority: authority(p.host, p.port, 21)}, fetchers.Document
	switch mode {
	case "BINARY":
		what.Type = url.Image
	case "TEXT":
		what.Type = url.ASCII
	case "DIRECTORY":
		kind = fetchers.Listing
		if parts[len(parts)-1] != "" {
			parts = append(parts, "")
		}
	}
	last := len(parts) - 1
	what.CWD, what.Name = parts[:last], parts[last]
	u := checked(what.URL())
	if u == nil {
		return nil, fetchers.Unknown
	}
	if again, err := u.FTP(); err != nil || again.Name != what.Name || !slices.Equal(again.CWD, what.CWD) {
		return nil, fetchers.Unknown
	}
	return u, kind
}

// gopher returns the URL of a selector. The type is a character or a word in kind, and otherwise
// the first character of the selector. A selector with a TAB is invalid.
func gopher(p place, kind string) (*url.URL, fetchers.Kind) {
	what := url.Gopher{Authority: authority(p.host, p.port, 70), Type: '1', Selector: p.name}
	switch {
	case kind == "TEXT":
		what.Type = '0'
	case kind == "BINARY":
		what.Type = '9'
	case len(kind) == 1:
		what.Type = kind[0]
	case p.name != "":
		what.Type = p.name[0]
	}
	u := checked(what.URL())
	if u == nil {
		return nil, fetchers.Unknown
	}
	if again, err := u.Gopher(); err != nil || again.Type != what.Type || again.Selector != what.Selector || again.SearchSet {
		return nil, fetchers.Unknown
	}
	switch what.Type {
	case '0', '4', '5', '6', '9', 'g', 'I', 's', 'h':
		return u, fetchers.Document
	case '1':
		return u, fetchers.Listing
	case '7':
		return u, fetchers.Index
	case '8', 'T':
		return u, fetchers.Session
	}
	return u, fetchers.Unknown
}

// gateway returns the URL in a name of the WAIS gateway:
// WAIS-GW/host(port)/type/database/document-id, where the document-id is escaped as in a URL. An
// older form, WAIS/OBJECT/id, is only mentioned in a note, without an example.
func gateway(name string) *url.URL {
	rest, ok := strings.CutPrefix(name, "WAIS-GW/")
	parts := strings.SplitN(rest, "/", 4)
	if !ok || len(parts) < 4 {
		return nil
	}
	host, port, ok := parseHost(parts[0])
	id, err := neturl.PathUnescape(parts[3])
	if !ok || err != nil {
		return nil
	}
	what := url.WAIS{Authority: authority(host, port, 210), WType: parts[1], Database: parts[2], WPath: id}
	u := checked(what.URL())
	if u == nil {
		return nil
	}
	if again, err := u.WAIS(); err != nil || again.Database != what.Database || again.WType != what.WType || again.WPath != id {
		return nil
	}
	return u
}
