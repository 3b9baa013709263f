package report

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Parsed has the parts of a URL that all schemes share. In its JSON, the parts of this scheme stand
// under the name of the scheme. The names are a promise to scripts. No part has the
// password.
type Parsed struct {
	Input       string  `json:"input"`
	Canonical   string  `json:"canonical"`
	Scheme      string  `json:"scheme"`
	User        *string `json:"user"`
	PasswordSet bool    `json:"password_set"`
	Host        *string `json:"host"`
	UnicodeHost *string `json:"unicode_host,omitempty"` // if Host stands for one that is not ASCII
	Port        *uint16 `json:"port"`
	PortGiven   bool    `json:"port_given"`
	Path        string  `json:"path"`
	Query       *string `json:"query"`
	Fragment    *string `json:"fragment"`
	own         any     // nil for a scheme without parts of its own
}

// ParsedOf returns the parts of u, which was input as text. A URL that makes no sense in its scheme
// is the error "parse URL: ...".
func ParsedOf(input string, u *url.URL) (Parsed, error) {
	if u.User != nil && u.User.PasswordSet {
		input = url.Redact(input)
	}
	p := Parsed{
		Input: input, Canonical: u.Canonical().Redacted(), Scheme: u.Scheme,
		Host: orNull(u.Host), UnicodeHost: orNull(idn.Unicode(u.Host)), Port: orNull(u.PortOrDefault()), PortGiven: u.Port != 0, Path: u.Path,
	}
	if u.User != nil {
		name := printable(u.User.Name)
		p.User, p.PasswordSet = &name, u.User.PasswordSet
	}
	if u.Query != "" {
		query := u.Query[1:]
		p.Query = &query
	}
	if u.Fragment != "" {
		fragment := u.Fragment[1:]
		p.Fragment = &fragment
	}
	var err error
	if p.own, err = ownParts(u); err != nil {
		return Parsed{}, fmt.Errorf("parse %s: %w", u.Redacted(), err)
	}
	return p, nil
}

// MarshalJSON puts the parts of the scheme under its name, after the others.
func (p Parsed) MarshalJSON() ([]byte, error) {
	type shared Parsed
	text, err := record.Marshal(shared(p))
	if err != nil || p.own == nil {
		return text, err
	}
	own, err := record.Marshal(map[string]any{p.Scheme: p.own})
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), own[1:]...), nil
}

// WriteParsed writes p for people, a part a line.
func WriteParsed(s *term.Streams, p Parsed) error {
	user, host, port, query, fragment, own := "", "", "", "", "", ""
	if p.User != nil {
		user = fmt.Sprintf("%q", *p.User)
		if p.PasswordSet {
			user += " with a password"
		}
	}
	if p.Host != nil {
		host = *p.Host
	}
	if p.UnicodeHost != nil {
		host += " (" + *p.UnicodeHost + ")"
	}
	if p.Port != nil {
		port = fmt.Sprint(*p.Port)
		if !p.PortGiven {
			port += " (default)"
		}
	}
	if p.Query != nil {
		query = fmt.Sprintf("%q", *p.Query)
	}
	if p.Fragment != nil {
		fragment = fmt.Sprintf("%q", *p.Fragment)
	}
	if p.own != nil {
		text, err := record.Marshal(p.own)
		if err != nil {
			return err
		}
		own = string(text)
	}
	return writeFacts(s, "canonical", p.Canonical, "scheme", p.Scheme, "names", url.Describe(p.Scheme), "user", user, "host", host, "port", port,
		"path", p.Path, "query", query, "fragment", fragment, p.Scheme, own)
}
