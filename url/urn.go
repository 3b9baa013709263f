package url

import "strings"

// URN holds the parts of a urn URL (RFC 8141, section 2):
// urn:nid:nss?+r-component?=q-component
//
// No part is decoded, since the namespace defines the meaning of an escape.
type URN struct {
	// NID is the namespace identifier, in lower case. It is empty in an example of RFC 1630,
	// urn:/iana/dns/ch/cern, which has no namespace.
	NID string

	NSS string // the name, as the namespace defines it

	R, Q string // for the resolver and for the resource; empty if absent
}

// URN reads u as a urn URL. It is an error if the namespace is malformed, if the name or a
// component is empty, or if "?" has any other use.
func (u *URL) URN() (URN, error) {
	if u.Scheme != "urn" {
		return URN{}, errorf(-1, "not a urn URL")
	}
	var n URN
	name, components := cutBefore(u.Path, '?')
	if strings.HasPrefix(name, "/") {
		n.NSS = name
	} else {
		nid, nss, ok := strings.Cut(name, ":")
		if !ok || !isNID(nid) {
			return URN{}, errorf(-1, "bad namespace: not 2 to 32 letters, digits and inner hyphens before a colon")
		}
		n.NID, n.NSS = strings.ToLower(nid), nss
	}
	if n.NSS == "" {
		return URN{}, errorf(-1, "no name in the namespace")
	}
	if components == "" {
		return n, nil
	}
	var ok bool
	if n.R, ok = strings.CutPrefix(components, "?+"); ok {
		n.R, n.Q, ok = strings.Cut(n.R, "?=")
		if n.R == "" || ok && n.Q == "" {
			return URN{}, errorf(-1, "empty component")
		}
		return n, nil
	}
	n.R = ""
	if n.Q, ok = strings.CutPrefix(components, "?="); !ok || n.Q == "" {
		return URN{}, errorf(-1, `"?" that begins no component`)
	}
	return n, nil
}

// isNID reports whether s is a valid namespace identifier (section 2.1).
func isNID(s string) bool {
	if len(s) < 2 || len(s) > 32 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !isAlphanumeric(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// URL returns the urn URL for n.
func (n URN) URL() *URL {
	u := &URL{Scheme: "urn", Path: n.NSS}
	if n.NID != "" {
		u.Path = n.NID + ":" + n.NSS
	}
	if n.R != "" {
		u.Path += "?+" + n.R
	}
	if n.Q != "" {
		u.Path += "?=" + n.Q
	}
	u.Path = repair(u.Path)
	return u
}
