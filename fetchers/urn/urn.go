// Package urn resolves urn URLs, which name things but not places (RFC 8141), by a
// table of those who know where they are. Each entry has the beginning of a name
// and a template of the URL to go on to:
//
//	ietf:rfc=https://www.rfc-editor.org/rfc/rfc{nss}.txt
//	isbn=https://books.example/uri-res/N2L?{urn}
//	*=http://resolver.example/uri-res/N2R?{urn}
//
// The answer is a Redirect. With the first entry urn:ietf:rfc:2648 leads to
// https://www.rfc-editor.org/rfc/rfc2648.txt. The others ask a resolver by RFC
// 2169, with an HTTP request of the form GET /uri-res/N2L?urn:isbn:123; what it
// answers, the URL (N2L) as a redirection or the resource itself (N2R), is for
// http to deal with. A name that the table does not have is ErrNotRetrievable.
//
// A name decides what stands in the path and the query only: who is asked is up
// to the table.
package urn

import (
	"context"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher resolves urn URLs. Its zero value knows none.
type Fetcher struct {
	// Table must not change in use.
	Table Table
}

// A Table has a template for each beginning of a name: for a namespace such as
// "isbn", for a part of one such as "ietf:rfc", or for all that is left, "*". In
// a template {nss} is what follows the beginning and its colon, and {urn} is the
// whole name.
type Table map[string]string

// Fetch answers with a Redirect to where the table has the name.
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

// Add adds an entry, which is written BEGINNING=TEMPLATE.
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

// beginningOf returns the beginning of a name with its namespace in lower case.
func beginningOf(s string) string {
	namespace, rest, more := strings.Cut(strings.TrimPrefix(s, "urn:"), ":")
	if more {
		return strings.ToLower(namespace) + ":" + rest
	}
	return strings.ToLower(namespace)
}

// resolve returns where a name leads by the longest beginning that the table has.
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

// place returns where a template says that a name is.
func place(template string, name url.URN, whole, rest string) (*url.URL, error) {
	for segment := range strings.SplitSeq(rest, "/") {
		if segment == "." || segment == ".." {
			return nil, fmt.Errorf("%w: %q in the name would leave the path of the table", fetchers.ErrBlocked, segment)
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

// expand fills in a template. The name must not decide who is asked.
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
		return nil, fmt.Errorf("%w: the name would decide who is asked, or as whom", fetchers.ErrBlocked)
	}
	return to, nil
}
