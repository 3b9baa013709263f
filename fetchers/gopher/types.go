package gopher

import (
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// attributeList is the Gopher+ media type of an attribute list, and plainMenu that of a menu of RFC
// 1436.
const (
	attributeList = "application/gopher+-menu"
	plainMenu     = "application/gopher-menu"
)

// kindOf returns the Kind of items of type t. Case matters. An unknown type is a Document: new
// types have always been files.
func kindOf(t byte) fetchers.Kind {
	switch t {
	case '1', '7':
		return fetchers.Listing
	case '2', '8', 'T':
		return fetchers.Session
	case 'i', '3':
		return fetchers.Text
	}
	return fetchers.Document
}

// textual reports whether items of type t are sent as lines, perhaps with a final dot (RFC 1436,
// section 3.8). BinHex and uuencoded files are text too.
func textual(t byte) bool { return strings.IndexByte("046Mce", t) >= 0 }

// serviceOf returns the service of a session of type t, or "".
func serviceOf(t byte) string {
	switch t {
	case '8':
		return "telnet"
	case 'T':
		return "tn3270"
	case '2':
		return "cso"
	}
	return ""
}

// mediaTypeOf returns the media type of an item type, using the suffix of the selector if the type
// is general.
func mediaTypeOf(t byte, selector string) string {
	byName := fetchers.TypeByName(selector)
	of := func(family string) string {
		if strings.HasPrefix(byName, family) {
			return byName
		}
		return ""
	}
	switch t {
	case '0':
		return "text/plain"
	case '1', '7':
		return plainMenu
	case '4':
		return "application/mac-binhex40"
	case '6':
		return "text/x-uuencode"
	case 'g':
		return "image/gif"
	case 'I', ':', 'p':
		return of("image/")
	case ';':
		return of("video/")
	case 's', '<':
		return of("audio/")
	case 'h', 'H':
		return "text/html"
	case 'P':
		return "application/pdf"
	case 'c':
		return "text/calendar"
	case 'x':
		return "text/xml"
	case 'M':
		return "message/rfc822"
	case '5', '9':
		if byName == "" {
			return "application/octet-stream"
		}
	}
	return byName
}
