package ftp

import (
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// parseEPLF parses a line of the Easily Parsed LIST Format: a plus sign, facts with a comma after
// each, a TAB and the name.
//
//	+i8388621.48594,m825718503,r,s280,<TAB>djb.html
func parseEPLF(line string, _ time.Time) (fetchers.Entry, bool) {
	facts, name, ok := strings.Cut(line, "\t")
	if !ok || name == "" || facts[:min(1, len(facts))] != "+" {
		return fetchers.Entry{}, false
	}
	e := fetchers.Entry{Name: name, Size: -1}
	for fact := range strings.SplitSeq(facts[1:], ",") {
		if fact == "" {
			continue
		}
		switch value := fact[1:]; fact[0] {
		case '/':
			e.Kind = fetchers.Listing
		case 'r':
			e.Kind, e.MediaType = fetchers.Document, fetchers.TypeByName(name)
		case 's':
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
				e.Size = n
			}
		case 'm':
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				e.ModTime = time.Unix(n, 0).UTC()
			}
		case 'i':
			setAttribute(&e, "eplf.id", value)
		case 'u':
			if mode, ok := strings.CutPrefix(value, "p"); ok {
				setAttribute(&e, "unix.mode", mode)
			}
		}
	}
	return e, true
}
