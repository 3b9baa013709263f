// Package urn resolves urn URLs, which name resources without a location (RFC 8141), with a table
// of resolvers. Each entry has a prefix of the name and a template for the URL of the redirection:
//
//	ietf:rfc=https://www.rfc-editor.org/rfc/rfc{nss}.txt
//	isbn=https://books.example/uri-res/N2L?{urn}
//	*=http://resolver.example/uri-res/N2R?{urn}
//
// The result is a Redirect. With the first entry, urn:ietf:rfc:2648 becomes
// https://www.rfc-editor.org/rfc/rfc2648.txt. The other entries name a resolver as in RFC 2169,
// with an HTTP request of the form GET /uri-res/N2L?urn:isbn:123. It answers with a redirection
// (N2L) or with the resource itself (N2R), which package http handles. A name without an entry is
// ErrNotRetrievable.
//
// A name can change only the path and the query of the URL: the table alone determines the server.
package urn

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher resolves urn URLs. The zero value has an empty table.
type Fetcher struct {
	// Table must not change in use.
	Table Table
}

// A Table has a template for each prefix of names: a namespace such as "isbn", a part of one such
// as "ietf:rfc", or "*" for all other names. In a template, {nss} is the text after the prefix and
// its colon, and {urn} is the whole name.
type Table map[string]string

// Fetch returns a Redirect according to the table.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	name, err := req.URL.URN()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	to, err := f.Table.resolve(name)
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Location: to, Leads: fetchers.Anywhere, Size: -1}
	res.SetBody(nil)
	return res, nil
}

// Add adds an entry of the form PREFIX=TEMPLATE.
func (t Table) Add(entry string) error {
	beginning, template, ok := strings.Cut(entry, "=")
	if !ok || beginning == "" {
		return fmt.Errorf("not NAMESPACE=URL: %q", url.Redact(entry))
	}
	if !strings.Contains(template, "{nss}") && !strings.Contains(template, "{urn}") {
		return fmt.Errorf("neither {nss} nor {urn} in %q", url.Redact(template))
	}
	if _, err := expand(template, "y", "urn:y:y"); err != nil {
		return fmt.Errorf("bad template %q: %w", url.Redact(template), err)
	}
	t[beginningOf(beginning)] = template
	return nil
}

// beginningOf returns a prefix with its namespace in lower case.
func beginningOf(s string) string {
	namespace, rest, more := strings.Cut(strings.TrimPrefix(s, "urn:"), ":")
	if more {
		return strings.ToLower(namespace) + ":" + rest
	}
	return strings.ToLower(namespace)
}

// resolve returns the URL of a name, with the longest matching prefix in the table.
func (t Table) resolve(name url.URN) (*url.URL, error) {
	whole := (url.URN{NID: name.NID, NSS: name.NSS}).URL().Path
	for beginning := whole; ; {
		at := strings.LastIndexByte(beginning, ':')
		if at < 0 {
			break
		}
		beginning = beginning[:at]
		if template, ok := t[beginning]; ok {
			return place(template, name, whole, whole[at+1:])
		}
	}
	if template, ok := t["*"]; ok {
		return place(template, name, whole, whole)
	}
	return nil, fmt.Errorf("%w: urn names a thing, not a place, and the table has no entry for %q", fetchers.ErrNotRetrievable, name.NID)
}

// place returns the URL of a name according to a template.
func place(template string, name url.URN, whole, rest string) (*url.URL, error) {
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "." || segment == ".." {
			return nil, fmt.Errorf("%w: %q in the name would leave the path of the template", fetchers.ErrBlocked, segment)
		}
	}
	to, err := expand(template, rest, "urn:"+whole)
	if err != nil || name.Q == "" {
		return to, err
	}
	if to.Query == "" { // RFC 8141, section 2.3.2: the q-component is for the resource
		to.Query = "?" + name.Q
	} else {
		to.Query += "&" + name.Q
	}
	return to, nil
}

// expand fills in a template. The name must not change the server.
func expand(template, rest, urn string) (*url.URL, error) {
	fill := func(rest, urn string) (*url.URL, error) {
		return url.Parse(strings.NewReplacer("{nss}", rest, "{urn}", urn).Replace(template))
	}
	plain, err := fill("x", "urn:x:x")
	if err != nil {
		return nil, err
	}
	to, err := fill(rest, urn)
	if err != nil {
		return nil, err
	}
	if plain.Host == "" || !to.SameOrigin(plain) || to.User != nil {
		return nil, fmt.Errorf("%w: the name would change the server or the login", fetchers.ErrBlocked)
	}
	return to, nil
}
