package prospero

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// defaultPort is the default port of Prospero servers.
const defaultPort = 1525

// maxName limits an hsoname in bytes. Servers accept about a quarter of it.
const maxName = 4096

// maxVersion is the highest version number that servers accept.
const maxVersion = 1<<31 - 1

// An object is the identification of an object in a prospero URL.
type object struct {
	host    string
	port    uint16
	name    string // the hsoname, which is opaque
	version uint32 // 0 means the current version
	id      string // the tokens of a FIELD ID, such as "REMOTE 4711"; "" means none
}

// objectOf parses a URL. A field identifies the object, so that an unsupported field is an error:
// without it the server could return another object.
func objectOf(u *url.URL) (object, error) {
	p, err := u.Prospero()
	if err != nil {
		return object{}, err
	}
	if u.User != nil {
		return object{}, malformed("prospero URLs name no user")
	}
	if len(p.HSOName) > maxName {
		return object{}, malformed("an object name of %d bytes, and the limit is %d", len(p.HSOName), maxName)
	}
	o := object{host: p.Host, port: u.PortOrDefault(), name: p.HSOName}
	seen := make(map[string]bool)
	for _, f := range p.Fields {
		field := strings.ToUpper(f.Name)
		if seen[field] {
			return object{}, malformed("the field %s occurs twice", field)
		}
		seen[field] = true
		switch field {
		case "OBJECT-VERSION":
			n, err := strconv.ParseUint(f.Value, 10, 31)
			if err != nil {
				return object{}, malformed("OBJECT-VERSION is a number from 0 to %d", maxVersion)
			}
			o.version = uint32(n)
		case "ID":
			o.id = strings.Join(strings.Fields(f.Value), " ")
			if o.id == "" || len(o.id) > maxName {
				return object{}, malformed("an ID is one or more words, such as REMOTE%%204711")
			}
		default:
			return object{}, fmt.Errorf("%w: a prospero URL with the field %q, which no server is known to have", fetchers.ErrNotRetrievable, f.Name)
		}
	}
	return o, nil
}

func malformed(format string, args ...any) error {
	return &url.Error{Pos: -1, Reason: fmt.Sprintf(format, args...)}
}

// url returns the URL of o, or nil if there is none.
func (o object) url() *url.URL {
	p := url.Prospero{Authority: authority(o.host, o.port, defaultPort), HSOName: o.name}
	if o.version > 0 {
		p.Fields = append(p.Fields, url.Field{Name: "OBJECT-VERSION", Value: strconv.FormatUint(uint64(o.version), 10)})
	}
	if o.id != "" {
		p.Fields = append(p.Fields, url.Field{Name: "ID", Value: o.id})
	}
	u := checked(p.URL())
	if u == nil {
		return nil
	}
	if _, err := objectOf(u); err != nil {
		return nil
	}
	return u
}

func (o object) addr() string { return net.JoinHostPort(o.host, strconv.Itoa(int(o.port))) }

// sameServer reports whether both objects are on one server.
func (o object) sameServer(other object) bool { return o.host == other.host && o.port == other.port }

// info returns the lines of a request for attributes of o.
func (o object) info(attributes string) []string {
	return o.selected("GET-OBJECT-INFO " + attributes + " ASCII " + o.token())
}

// list returns the lines of a request for the links of o, with their attributes.
func (o object) list() []string {
	return append(o.selected("DIRECTORY ASCII "+o.token()), "LIST ATTRIBUTES COMPONENTS")
}

func (o object) token() string {
	return quoted(o.name) + " " + strconv.FormatUint(uint64(o.version), 10)
}

// selected adds the line that distinguishes objects of the same name.
func (o object) selected(line string) []string {
	lines := []string{line}
	if o.id != "" {
		words := strings.Fields(o.id)
		for i, w := range words {
			words[i] = quoted(w)
		}
		lines = append(lines, "SELECT OBJECT FIELD ID "+strings.Join(words, " "))
	}
	return lines
}

// preamble is the beginning of every request. It does not reveal the user: the name is always the
// same.
var preamble = []string{"VERSION 5 fetch", "AUTHENTICATE '' UNAUTHENTICATED guest"}

// request returns the message with the given lines. Lines end in LF: servers read CR LF as an extra
// empty line.
func request(lines []string) []byte {
	return []byte(strings.Join(append(preamble[:len(preamble):len(preamble)], lines...), "\n") + "\n")
}

// authority returns the Authority of a server. It omits port 0 and the default port.
func authority(host string, port, usual uint16) url.Authority {
	if port == usual {
		port = 0
	}
	return url.Authority{Host: host, Port: port}
}

// checked returns u in parsed form, or nil if it is invalid: its parts come from a server.
func checked(u *url.URL) *url.URL {
	again, err := url.Parse(u.String())
	if err != nil || again.Host != u.Host || again.Path != u.Path {
		return nil
	}
	return again
}

// parseHost parses a server in a message: a name or an IPv4 address, perhaps with a port in
// parentheses. Archie servers of the late 1990s also put users, passwords and ports after a colon
// there; those are ignored.
func parseHost(token string) (host string, port uint16, ok bool) {
	host, digits, hasPort := strings.Cut(strings.ToLower(token), "(")
	if hasPort {
		digits, closed := strings.CutSuffix(digits, ")")
		n, err := strconv.ParseUint(digits, 10, 16)
		if err != nil || !closed || n == 0 {
			return "", 0, false
		}
		port = uint16(n)
	}
	if host == "" || strings.ContainsFunc(host, notInHost) {
		return "", 0, false
	}
	return host, port, true
}

func notInHost(r rune) bool {
	return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '.')
}
