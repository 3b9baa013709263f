package ftp

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// dosLine matches a line of DIR: date, time, a mark or a size, and the name.
var dosLine = regexp.MustCompile(`^ *([0-9]{1,4})([-/.])([0-9]{1,2})[-/.]([0-9]{1,4}) +([0-9]{1,2}:[0-9]{2})(:[0-9]{2})? ?([AaPp][Mm]?)? +` +
	`(<[A-Z]+>|[0-9][0-9,.]*)( +)(.+)$`)

// parseDOS parses a line of DIR, which Windows servers send too.
//
//	02-03-01  04:05PM       <DIR>          a directory
//	02-03-2001  16:05            1,234 a file
//	2001-02-03  16:05       <JUNCTION>     link [C:\target]
func parseDOS(line string, _ time.Time) (fetchers.Entry, bool) {
	m := dosLine.FindStringSubmatch(line)
	if m == nil {
		return fetchers.Entry{}, false
	}
	mark, gap, name := m[8], m[9], m[10]
	if mark[0] != '<' {
		size, err := strconv.ParseInt(strings.NewReplacer(",", "", ".", "").Replace(mark), 10, 64)
		if err != nil {
			return fetchers.Entry{}, false
		}
		e := entry(gap[1:]+name, false)
		e.Size, e.ModTime = size, dosTime(m)
		return e, true
	}
	e := entry(name, mark == "<DIR>")
	e.ModTime = dosTime(m)
	if mark != "<DIR>" { // <JUNCTION>, <SYMLINK>, <SYMLINKD>
		e.Kind, e.MediaType = fetchers.Unknown, ""
		if link, target, ok := strings.Cut(strings.TrimSuffix(name, "]"), " ["); ok && name[len(name)-1] == ']' {
			e.Name = link
			setAttribute(&e, "dos.link", target)
		}
		if mark == "<JUNCTION>" || mark == "<SYMLINKD>" {
			e.Kind = fetchers.Listing
		}
	}
	return e, true
}

// dosTime returns the time in a match of dosLine, or the zero Time if the order of day and month,
// which depends on the server's country, is ambiguous.
func dosTime(m []string) time.Time {
	a, _ := strconv.Atoi(m[1])
	b, _ := strconv.Atoi(m[3])
	c, _ := strconv.Atoi(m[4])
	year, month, day := c, a, b // IIS, with hyphens
	switch {
	case len(m[1]) == 4:
		year, month, day = a, b, c
	case a > 12, m[2] == ".":
		month, day = b, a
	case m[2] == "/" && b <= 12 && a != b:
		return time.Time{}
	}
	if year < 100 {
		year = fullYear(year)
	}
	layout, clock := "15:04:05", m[5]
	if m[6] == "" {
		clock += ":00"
	} else {
		clock += m[6]
	}
	if m[7] != "" {
		layout = "3:04:05PM"
		clock += strings.ToUpper(m[7][:1]) + "M"
	}
	t, err := time.Parse(layout, clock)
	date := time.Date(year, time.Month(month), day, t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	if err != nil || month < 1 || month > 12 || date.Day() != day {
		return time.Time{}
	}
	return date
}

// fullYear expands a year of two digits. FTP did not exist before 1970.
func fullYear(year int) int {
	if year < 70 {
		return 2000 + year
	}
	return 1900 + year
}
