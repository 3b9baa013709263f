package prospero

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A Link is a line LINK of a reply with the lines that belong to it, or a line FORWARDED, which has
// no Type, Target and Name.
type Link struct {
	Type       string // L, a link; U, a union link; I, an invisible one
	Target     string // FILE, DIRECTORY, DIRECTORY+FILE, OBJECT, EXTERNAL, SYMBOLIC, FP or NULL
	Name       string
	HostType   string
	Host       string // with its port in parentheses
	NameType   string
	HSOName    string
	Version    uint32
	ID         string // "REMOTE 4711"
	Attributes []Attribute
}

// parseLink parses the tokens of a line LINK.
func parseLink(line []string) (*Link, error) {
	if len(line) < 9 {
		return nil, fmt.Errorf("%w: a LINK of %d words", fetchers.ErrProtocol, len(line))
	}
	l := &Link{Type: line[1], Target: line[2], Name: line[3]}
	return l, l.place(line[4:])
}

// parseForwarded parses the tokens of a line FORWARDED.
func parseForwarded(line []string) (*Link, error) {
	l := new(Link)
	if len(line) < 6 {
		return nil, fmt.Errorf("%w: FORWARDED with %d words", fetchers.ErrProtocol, len(line))
	}
	return l, l.place(line[1:])
}

// place parses the common part of both lines. An expiry time may follow it.
func (l *Link) place(tokens []string) error {
	l.HostType, l.Host, l.NameType, l.HSOName = tokens[0], tokens[1], tokens[2], tokens[3]
	if l.Target == "NULL" {
		return nil // the rest is NULL too
	}
	n, err := strconv.ParseUint(tokens[4], 10, 31)
	if err != nil {
		return fmt.Errorf("%w: %q is not a version", fetchers.ErrProtocol, tokens[4])
	}
	l.Version = uint32(n)
	return nil
}

// object returns the target of the link, if it is on a Prospero server.
func (l *Link) object() (object, bool) {
	host, port, ok := parseHost(l.Host)
	if !ok || l.HostType != "INTERNET-D" || l.NameType != "ASCII" {
		return object{}, false
	}
	if port == 0 {
		port = defaultPort
	}
	return object{host: host, port: port, name: l.HSOName, version: l.Version}, true
}

// take adds a line after the link, if it belongs to it.
func (l *Link) take(line []string) {
	if a, ok := parseAttribute(line); ok {
		l.Attributes = append(l.Attributes, a)
		if a.Name == "ID" {
			l.ID = strings.Join(a.Values, " ")
		}
	} else if line[0] == "ID" {
		l.ID = strings.Join(line[1:], " ")
	}
}
