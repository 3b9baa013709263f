package ftp

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// parseFacts parses a line of MLSD (RFC 3659, section 7): facts, each followed by a semicolon, a
// space, and the name.
//
//	type=file;size=1024;modify=20010203040506; a name
//	type=OS.unix=slink:/target;size=3;perm=r; link
func parseFacts(line string) (fetchers.Entry, bool) {
	facts, name, ok := strings.Cut(line, " ")
	if !ok || name == "" || facts != "" && !strings.Contains(facts, "=") {
		return unparsed(line), line != ""
	}
	e := fetchers.Entry{Name: name, Size: -1}
	link := false
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, _ := strings.Cut(fact, "=")
		switch key = strings.ToLower(key); key {
		case "":
		case "type":
			switch kind := strings.ToLower(value); {
			case kind == "file":
				e.Kind = fetchers.Document
			case kind == "dir":
				e.Kind = fetchers.Listing
			case kind == "cdir", kind == "pdir":
				return fetchers.Entry{}, false
			case strings.HasPrefix(kind, "os.unix=slink:"):
				link = true
				setAttribute(&e, "unix.link", value[len("os.unix=slink:"):])
			default:
				if link = strings.HasPrefix(kind, "os.unix=s"); link { // ProFTPD's symbolic link
					setAttribute(&e, "unix.link", "") // the listing does not contain the target
				}
				setAttribute(&e, "ftp.type", value)
			}
		case "size":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				e.Size = n
			}
		case "modify":
			e.ModTime = parseTimeVal(value)
		default:
			setAttribute(&e, key, value)
		}
	}
	switch {
	case name == "." || name == "..":
		return fetchers.Entry{}, false
	case e.Kind == fetchers.Document:
		e.MediaType = fetchers.TypeByName(name)
	case link || e.Kind == fetchers.Listing:
		e.Size = -1 // it is that of the link, or of the directory's own list
	}
	return e, true
}

// parseTimeVal parses YYYYMMDDHHMMSS in UTC, with or without a fraction (RFC 3659, section 2.3). In
// the year 2000 some servers began to write 19100.
func parseTimeVal(s string) time.Time {
	if rest, ok := strings.CutPrefix(s, "191"); ok && len(s) == len("19100MMDDHHMMSS") {
		s = "20" + rest
	}
	t, _ := time.Parse("20060102150405", s) // a fraction is accepted, too
	return t
}
