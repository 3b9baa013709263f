package url

import (
	"strconv"
	"strings"
)

// WAIS holds the parts of a wais URL (RFC 1738, section 3.9; RFC 4156):
//
//	wais://host:port/database  wais://host:port/database?search
//	wais://host:port/database/wtype/wpath
type WAIS struct {
	Authority
	Database string

	// Search holds the search words, separated by blanks.
	Search    string
	SearchSet bool // distinguishes an empty Search from none

	// WType and WPath name a document, if they are not empty: its type, and its document-id, which
	// may hold any byte.
	WType, WPath string

	// Length is the size of the document in bytes, if the URL has it, or 0. It is a hint, and may
	// be out of date.
	Length int64
}

// WAIS reads u as a wais URL. A "+" in the search is a blank. A wpath is either the bytes of the
// document-id or, as in RFC 1630, its fields, which WAIS encodes to those bytes. It is an error if
// the URL has no database, if it has a type without a wpath, or if CR, LF or NUL stands outside the
// wpath.
func (u *URL) WAIS() (WAIS, error) {
	w := WAIS{Authority: u.Authority}
	if u.Scheme != "wais" {
		return WAIS{}, errorf(-1, "not a wais URL")
	}
	database, document, isDocument := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	w.Database = unescape(database)
	if w.Database == "" {
		return WAIS{}, errorf(-1, "no database")
	}
	if isDocument {
		wtype, wpath, _ := strings.Cut(document, "/")
		switch {
		case wtype == "" || wpath == "":
			return WAIS{}, errorf(-1, "a document needs a database, a type and a path")
		case u.Query != "":
			return WAIS{}, errorf(-1, "a search within a document")
		}
		w.WType = unescape(wtype)
		w.readPath(wpath)
	}
	if u.Query != "" {
		w.Search, w.SearchSet = UnescapeWords(u.Query[1:]), true
	}
	if err := checkLine("database, type or search words", w.Database+w.WType+w.Search); err != nil {
		return WAIS{}, err
	}
	return w, nil
}

// A DocField is a field of a WAIS document-id. Tags 1 to 3 are the server, database and local-id of
// the original, 4 to 6 those of a copy, and 7 the copyright disposition.
type DocField struct {
	Tag   uint32
	Value string
}

// readPath reads a wpath in one of three forms: bytes; fields, each tag=value; (RFC 1630); or a
// length, a slash and fields, as early browsers wrote it.
func (w *WAIS) readPath(s string) {
	length, tagged, _ := strings.Cut(s, "/")
	n, err := strconv.ParseInt(length, 10, 64)
	if !isDigits(length) || err != nil {
		n, tagged = 0, s
	}
	if fields, ok := readTagged(tagged); ok {
		w.WPath, w.Length = documentID(fields), n
	} else {
		w.WPath = unescape(s)
	}
}

// readTagged reads 1*( tag "=" value ";" ).
func readTagged(s string) (fields []DocField, ok bool) {
	if !strings.HasSuffix(s, ";") {
		return nil, false
	}
	for f := range strings.SplitSeq(s[:len(s)-1], ";") {
		tag, value, _ := strings.Cut(f, "=")
		n, err := strconv.ParseUint(tag, 10, 32)
		if !isDigits(tag) || err != nil || len(f) == len(tag) {
			return nil, false
		}
		fields = append(fields, DocField{uint32(n), unescape(value)})
	}
	return fields, true
}

// documentID encodes fields: for each its tag, the length of its value, and the value.
func documentID(fields []DocField) string {
	var b []byte
	for _, f := range fields {
		b = appendCompressed(b, uint64(f.Tag))
		b = appendCompressed(b, uint64(len(f.Value)))
		b = append(b, f.Value...)
	}
	return string(b)
}

// Fields decodes the document-id in WPath. It returns nil if the document-id does not consist of
// fields and is opaque to clients.
func (w WAIS) Fields() []DocField {
	var fields []DocField
	for rest := w.WPath; rest != ""; {
		tag, n := cutCompressed(rest)
		size, m := cutCompressed(rest[n:])
		if n == 0 || m == 0 || size > uint64(len(rest)-n-m) || tag > 1<<32-1 {
			return nil
		}
		end := n + m + int(size)
		fields = append(fields, DocField{uint32(tag), rest[n+m : end]})
		rest = rest[end:]
	}
	return fields
}

// appendCompressed appends n in groups of 7 bits, the highest first. The eighth bit is set in all
// groups but the last.
func appendCompressed(b []byte, n uint64) []byte {
	shift := 0
	for n>>shift >= 1<<7 {
		shift += 7
	}
	for ; shift > 0; shift -= 7 {
		b = append(b, byte(n>>shift)|0x80)
	}
	return append(b, byte(n)&0x7F)
}

// cutCompressed reads a number that appendCompressed wrote, and returns its size in bytes, or 0 if
// s does not begin with one.
func cutCompressed(s string) (n uint64, size int) {
	for i := 0; i < len(s) && i < 5; i++ {
		n = n<<7 | uint64(s[i]&0x7F)
		if s[i] < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}

// URL returns the wais URL for w. The wpath has the form of RFC 1738 or, if w has a Length, the
// form with a length.
func (w WAIS) URL() *URL {
	var b strings.Builder
	b.WriteString("/" + escape(w.Database, inUserinfo))
	if w.WPath != "" {
		b.WriteString("/" + escape(w.WType, inUserinfo) + "/")
		if fields := w.Fields(); w.Length > 0 && documentID(fields) == w.WPath {
			b.WriteString(strconv.FormatInt(w.Length, 10) + "/")
			for _, f := range fields {
				b.WriteString(strconv.FormatUint(uint64(f.Tag), 10) + "=" + escape(f.Value, inName) + ";")
			}
		} else {
			b.WriteString(escape(w.WPath, inName))
		}
	}
	u := &URL{Scheme: "wais", Slashes: true, Authority: w.Authority, Path: b.String()}
	if w.SearchSet {
		u.Query = "?" + EscapeWords(w.Search)
	}
	return u
}

// EscapeWords returns words as the query of a URL, with "+" for each blank (RFC 1630): "red c++"
// becomes "red+c%2B%2B". It is for wais searches and for searchable indexes of http servers.
func EscapeWords(words string) string {
	return strings.ReplaceAll(escape(words, inName), "%20", "+")
}

// UnescapeWords is the inverse of [EscapeWords].
func UnescapeWords(query string) string {
	return unescape(strings.ReplaceAll(query, "+", " "))
}
