package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// parsed is how a URL is understood: the parts all schemes share, and under the
// name of the scheme those of its own.
type parsed struct {
	Input       string  `json:"input"`
	Canonical   string  `json:"canonical"`
	Scheme      string  `json:"scheme"`
	User        *string `json:"user"`
	PasswordSet bool    `json:"password_set"`
	Host        *string `json:"host"`
	Port        *uint16 `json:"port"`
	PortGiven   bool    `json:"port_given"`
	Path        string  `json:"path"`
	Fragment    *string `json:"fragment"`
	own         any
}

// MarshalJSON puts the parts of the scheme under its name.
func (p parsed) MarshalJSON() ([]byte, error) {
	type shared parsed
	text, err := json.Marshal(shared(p))
	if err != nil || p.own == nil {
		return text, err
	}
	own, err := json.Marshal(map[string]any{p.Scheme: p.own})
	if err != nil {
		return nil, err
	}
	return append(append(text[:len(text)-1], ','), own[1:]...), nil
}

// parse says how the URL of a job is understood.
func (a *app) parse(_ context.Context, j job) error {
	req, err := a.request(j)
	if err != nil {
		return err
	}
	u := req.URL
	p := parsed{
		Input: url.Redact(j.text), Canonical: u.Redacted(), Scheme: u.Scheme,
		Host: orNull(u.Host), Port: orNull(u.PortOrDefault()), PortGiven: u.Port != 0, Path: u.Path,
	}
	if u.User != nil {
		name := printable(u.User.Name)
		p.User, p.PasswordSet = &name, u.User.PasswordSet
	}
	if u.Fragment != "" {
		fragment := u.Fragment[1:]
		p.Fragment = &fragment
	}
	if p.own, err = ownParts(u); err != nil {
		return fmt.Errorf("%sparse %s: %w", j.where, u.Redacted(), err)
	}
	if a.json {
		return a.writeJSON(p)
	}
	return a.writeParsed(p)
}

type ftpParts struct {
	CWD  []string `json:"cwd"`
	Name string   `json:"name"`
	Type string   `json:"type"`
}

type httpParts struct {
	Target string `json:"target"`
}

type fileParts struct {
	Path string `json:"path"`
}

// ownParts reads u in the terms of its scheme. Octets that are not printable
// ASCII are shown as %XX.
func ownParts(u *url.URL) (any, error) {
	switch u.Scheme {
	case "ftp", "ftps":
		f, err := u.FTP()
		if err != nil {
			return nil, err
		}
		parts := ftpParts{CWD: []string{}, Name: printable(f.Name)}
		for _, dir := range f.CWD {
			parts.CWD = append(parts.CWD, printable(dir))
		}
		if f.Type != 0 {
			parts.Type = string(rune(f.Type))
		}
		return parts, nil
	case "http", "https":
		h, err := u.HTTP()
		return httpParts{h.Target}, err
	case "file":
		f, err := u.File()
		return fileParts{printable(f.Path)}, err
	}
	return nil, nil
}

// printable shows octets that are not printable ASCII, and "%" itself, as %XX.
func printable(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// writeParsed writes the same for people.
func (a *app) writeParsed(p parsed) error {
	user, host, port, fragment := "", "", "", ""
	if p.User != nil {
		user = fmt.Sprintf("%q", *p.User)
		if p.PasswordSet {
			user += " with a password"
		}
	}
	if p.Host != nil {
		host = *p.Host
	}
	if p.Port != nil {
		port = fmt.Sprint(*p.Port)
		if !p.PortGiven {
			port += " (default)"
		}
	}
	if p.Fragment != nil {
		fragment = fmt.Sprintf("%q", *p.Fragment)
	}
	own := ""
	if p.own != nil {
		text, err := json.Marshal(p.own)
		if err != nil {
			return err
		}
		own = string(text)
	}
	return a.facts("canonical", p.Canonical, "scheme", p.Scheme, "user", user, "host", host, "port", port,
		"path", p.Path, "fragment", fragment, p.Scheme, own)
}
