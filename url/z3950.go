package url

import (
	"strconv"
	"strings"
)

// Z3950 holds the parts of a z39.50r or z39.50s URL (RFC 2056):
//
//	z39.50r://host:port/database+database?docid;esn=elementset;rs=syntax+syntax
//	z39.50s://host:port/database?docid;esn=elementset;rs=syntax;pos=number
//
// A z39.50r URL names one record, a z39.50s URL a session, which may begin with a search.
type Z3950 struct {
	Authority
	Retrieval bool     // the scheme is z39.50r
	Databases []string // empty if a z39.50s URL names only the server

	// DocID is the document identifier. It is opaque, and may hold any byte. In a z39.50s URL,
	// people also write search words here.
	DocID    string
	DocIDSet bool // distinguishes an empty DocID from none

	ElementSet string   // the element set of a record, such as "F" for full; "" if the client may choose
	Syntaxes   []string // the requested record syntaxes, the preferred one first

	// Position is the place of one record in the search results of a z39.50s URL, from 1; 0 means
	// all results. RFC 2056 does not define it, but allows further parameters.
	Position int
}

// Z3950 reads u as a z39.50r or z39.50s URL. It splits the text before it decodes the parts, so
// that "%2B" and "%3B" are data. A z39.50r URL needs a database and a docid, a docid needs a
// database, and a position needs a docid. An unknown or repeated parameter is an error, and so is
// CR, LF or NUL in any part but the docid.
func (u *URL) Z3950() (Z3950, error) {
	z := Z3950{Authority: u.Authority, Retrieval: u.Scheme == "z39.50r"}
	if !z.Retrieval && u.Scheme != "z39.50s" {
		return Z3950{}, errorf(-1, "not a z39.50r or z39.50s URL")
	}
	if err := u.checkLogin(); err != nil {
		return Z3950{}, err
	}
	path, parameters := cutParameters(strings.TrimPrefix(u.Path, "/"))
	if u.Query != "" {
		docid, more := cutParameters(u.Query[1:])
		z.DocID, z.DocIDSet = unescape(docid), true
		parameters = append(parameters, more...)
	}
	if path != "" {
		z.Databases = unescapeAll(path)
	}
	if err := z.readParameters(parameters); err != nil {
		return Z3950{}, err
	}
	return z, z.check()
}

// cutParameters splits s before its first ";", and returns the parameters after it.
func cutParameters(s string) (before string, parameters []string) {
	before, after, ok := strings.Cut(s, ";")
	if ok {
		parameters = strings.Split(after, ";")
	}
	return before, parameters
}

// unescapeAll decodes the elements of a list, which "+" separates.
func unescapeAll(list string) []string {
	all := strings.Split(list, "+")
	for i := range all {
		all[i] = unescape(all[i])
	}
	return all
}

func (z *Z3950) readParameters(parameters []string) error {
	seen := make(map[string]bool)
	for _, p := range parameters {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(name)
		if value == "" || seen[name] {
			return errorf(-1, "bad parameter: not one name=value")
		}
		seen[name] = true
		switch name {
		case "esn":
			z.ElementSet = unescape(value)
		case "rs":
			z.Syntaxes = unescapeAll(value)
		case "pos":
			n, err := strconv.ParseInt(value, 10, 32)
			if !isDigits(value) || err != nil || n < 1 {
				return errorf(-1, "bad position: not a number from 1")
			}
			z.Position = int(n)
		default:
			return errorf(-1, "unknown parameter: esn, rs and pos are known")
		}
	}
	return nil
}

func (z *Z3950) check() error {
	for _, name := range append(append([]string{z.ElementSet}, z.Databases...), z.Syntaxes...) {
		if err := checkLine("database, element set or record syntax", name); err != nil {
			return err
		}
	}
	for _, name := range append(append([]string{}, z.Databases...), z.Syntaxes...) {
		if name == "" {
			return errorf(-1, "an empty name in a list")
		}
	}
	switch {
	case len(z.Databases) == 0 && (z.Retrieval || z.DocIDSet):
		return errorf(-1, "no database")
	case z.Retrieval && z.DocID == "":
		return errorf(-1, "no docid")
	case z.Position > 0 && (z.Retrieval || z.DocID == ""):
		return errorf(-1, "a position without a search")
	}
	return nil
}

// URL returns the URL for z.
func (z Z3950) URL() *URL {
	u := &URL{Scheme: "z39.50s", Slashes: true, Authority: z.Authority, Path: "/" + escapeAll(z.Databases)}
	if z.Retrieval {
		u.Scheme = "z39.50r"
	}
	var parameters strings.Builder
	if z.ElementSet != "" {
		parameters.WriteString(";esn=" + escape(z.ElementSet, inUserinfo))
	}
	if len(z.Syntaxes) > 0 {
		parameters.WriteString(";rs=" + escapeAll(z.Syntaxes))
	}
	if z.Position > 0 {
		parameters.WriteString(";pos=" + strconv.Itoa(z.Position))
	}
	if z.DocIDSet {
		u.Query = "?" + escape(z.DocID, inUserinfo) + parameters.String()
	} else {
		u.Path += parameters.String()
	}
	return u
}

// escapeAll writes a list with "+" between its elements.
func escapeAll(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(strings.ReplaceAll(escape(s, inUserinfo), "+", "%2B"))
	}
	return b.String()
}
