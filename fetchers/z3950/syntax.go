package z3950

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// A syntax is a record syntax: the suffix of its object identifier, its names in URLs, and the
// media type of its records.
type syntax struct {
	arc       string
	names     []string // the first one is for display
	mediaType string
}

// syntaxes are the record syntaxes of real servers. The names are those of YAZ, and "marc" from RFC
// 2056.
var syntaxes = []syntax{
	{"10", []string{"usmarc", "marc", "marc21"}, "application/marc"},
	{"109.10", []string{"xml", "text-xml"}, "application/xml"},
	{"101", []string{"sutrs", "text"}, "text/plain"},
	{"105", []string{"grs-1", "grs1"}, "application/x-z3950-grs1"},
	{"102", []string{"opac"}, "application/x-z3950-opac"},
	{"1", []string{"unimarc"}, "application/marc"},
	{"11", []string{"ukmarc"}, "application/marc"},
	{"12", []string{"normarc"}, "application/marc"},
	{"14", []string{"danmarc"}, "application/marc"},
	{"15", []string{"finmarc"}, "application/marc"},
	{"21", []string{"ibermarc"}, "application/marc"},
	{"103", []string{"summary"}, "application/x-z3950-summary"},
	{"109.1", []string{"pdf"}, "application/pdf"},
	{"109.2", []string{"postscript"}, "application/postscript"},
	{"109.3", []string{"html"}, "text/html"},
	{"109.4", []string{"tiff"}, "image/tiff"},
	{"109.5", []string{"gif"}, "image/gif"},
	{"109.6", []string{"jpeg"}, "image/jpeg"},
	{"109.7", []string{"png"}, "image/png"},
	{"109.8", []string{"mpeg"}, "video/mpeg"},
	{"109.9", []string{"sgml"}, "application/sgml"},
	{"109.11", []string{"application-xml"}, "application/xml"},
}

// xmlSyntax is the record syntax of XML.
const xmlSyntax = z3950.RecordSyntax + "109.10"

// usualSyntaxes are tried in order if the client may choose. The last one is the choice of the
// server.
var usualSyntaxes = []string{z3950.RecordSyntax + "10", xmlSyntax, z3950.SUTRS, z3950.RecordSyntax + "105", ""}

// wanted returns the object identifiers of the known syntaxes in a URL, the preferred one first. A
// name may be an object identifier.
func wanted(names []string) ([]string, error) {
	if len(names) == 0 {
		return usualSyntaxes, nil
	}
	var list []string
	for _, name := range names {
		if oid := syntaxOf(name); oid != "" {
			list = append(list, oid)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%w: no record syntax of %q is known", fetchers.ErrNotRetrievable, strings.Join(names, " "))
	}
	return list, nil
}

// syntaxOf returns the object identifier of a syntax, or "" if it is unknown.
func syntaxOf(name string) string {
	if strings.HasPrefix(name, z3950.RecordSyntax) && strings.Trim(name, ".0123456789") == "" {
		return name
	}
	for _, s := range syntaxes {
		for _, n := range s.names {
			if strings.EqualFold(n, name) {
				return z3950.RecordSyntax + s.arc
			}
		}
	}
	return ""
}

// describe returns the name and the media type of a syntax. An unknown syntax has its identifier as
// the name, and application/octet-stream.
func describe(oid string) (name, mediaType string) {
	for _, s := range syntaxes {
		if oid == z3950.RecordSyntax+s.arc {
			return s.names[0], s.mediaType
		}
	}
	return oid, "application/octet-stream"
}
