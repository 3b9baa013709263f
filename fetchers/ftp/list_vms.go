package ftp

import (
	"regexp"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// vmsName matches a name with its version.
var vmsName = regexp.MustCompile(`^[^ \t;]+;[0-9]+$`)

// versioned reports whether a line consists of a VMS name only, so that the next line has the rest.
func versioned(line string) bool { return vmsName.MatchString(line) }

// parseVMS parses a line of DIRECTORY, of MultiNet, UCX or TCPware. Sizes are in blocks, used and
// sometimes allocated; since the bytes used in the last block are not listed, Size is unknown.
//
//	00README.TXT;1     2    30-DEC-1976 17:44   [SYSTEM] (RWED,RWED,RE,RE)
//	CORE.DIR;1         1/3   8-SEP-1996 16:09:12.34 [SYSTEM] (RWE,RWE,RE,RE)
//	SECRET.TXT;1       %RMS-E-PRV, insufficient privilege or file protection violation
func parseVMS(line string, _ time.Time) (fetchers.Entry, bool) {
	words := fields(line, 6)
	if len(words) < 3 || words[0].start > 0 || !vmsName.MatchString(words[0].text) {
		return fetchers.Entry{}, false
	}
	name := words[0].text
	stem, _, _ := strings.Cut(name, ";")
	stem, directory := strings.CutSuffix(stem, ".DIR")
	if directory {
		name = stem // CWD expects the stem
	}
	e := entry(name, directory)
	if !directory {
		e.MediaType = fetchers.TypeByName(strings.ToLower(stem))
	}
	rest := words[1:]
	if strings.HasPrefix(rest[0].text, "%RMS-E-") || strings.HasPrefix(rest[0].text, "%SYSTEM-F-") {
		setAttribute(&e, "vms.error", line[rest[0].start:])
		return e, true
	}
	used, _, _ := strings.Cut(rest[0].text, "/")
	if digits(used) {
		setAttribute(&e, "vms.blocks", used)
		rest = rest[1:]
	}
	if len(rest) < 2 {
		return fetchers.Entry{}, false
	}
	clock, _, _ := strings.Cut(rest[1].text, ".")
	if strings.Count(clock, ":") == 1 {
		clock += ":00"
	}
	t, err := time.Parse("2-Jan-2006 15:04:05", rest[0].text+" "+clock)
	if err != nil {
		return fetchers.Entry{}, false
	}
	e.ModTime = t
	for _, word := range rest[2:] {
		switch text := word.text; {
		case text[0] == '[':
			setAttribute(&e, "vms.owner", strings.Trim(text, "[]"))
		case text[0] == '(':
			setAttribute(&e, "vms.protection", strings.Trim(text, "()"))
		}
	}
	return e, true
}
