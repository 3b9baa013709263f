package main

import (
	"context"
	"fmt"

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
	Query       *string `json:"query"`
	Fragment    *string `json:"fragment"`
	own         any
}

// MarshalJSON puts the parts of the scheme under its name.
func (p parsed) MarshalJSON() ([]byte, error) {
	type shared parsed
	text, err := marshal(shared(p))
	if err != nil || p.own == nil {
		return text, err
	}
	own, err := marshal(map[string]any{p.Scheme: p.own})
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
	input := j.text
	if u.User != nil && u.User.PasswordSet {
		input = url.Redact(input)
	}
	p := parsed{
		Input: input, Canonical: u.Canonical().Redacted(), Scheme: u.Scheme,
		Host: orNull(u.Host), Port: orNull(u.PortOrDefault()), PortGiven: u.Port != 0, Path: u.Path,
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
	if p.own, err = ownParts(u); err != nil {
		return fmt.Errorf("%sparse %s: %w", j.where, u.Redacted(), err)
	}
	if a.json {
		return a.writeJSON(p)
	}
	return a.writeParsed(p)
}

// writeParsed writes the same for people.
func (a *app) writeParsed(p parsed) error {
	user, host, port, query, fragment := "", "", "", "", ""
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
	if p.Query != nil {
		query = fmt.Sprintf("%q", *p.Query)
	}
	if p.Fragment != nil {
		fragment = fmt.Sprintf("%q", *p.Fragment)
	}
	own := ""
	if p.own != nil {
		text, err := marshal(p.own)
		if err != nil {
			return err
		}
		own = string(text)
	}
	return a.facts("canonical", p.Canonical, "scheme", p.Scheme, "names", url.Describe(p.Scheme), "user", user, "host", host, "port", port,
		"path", p.Path, "query", query, "fragment", fragment, p.Scheme, own)
}
