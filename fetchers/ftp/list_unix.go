package ftp

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// unixMode matches the mode at the beginning of a line of ls -l. A dot marks SELinux, a plus an
// access list, and an at sign attributes of macOS.
var unixMode = regexp.MustCompile(`^[-dlbcpsD]([-r][-w][-xsS][-r][-w][-xsSlL][-r][-w][-xtT])[.+@]? `)

// parseUnix parses a line of ls -l. The columns between mode and date differ: the number of links
// or the group may be missing, and the name of a group may have two words. Therefore the date is
// searched for; the size precedes it.
//
//	drwxr-xr-x+  2 owner group      4096 Dec 31  1999 a name
//	-rw-r--r--   1 0     0            27 Nov 20 11:24 hello.txt
//	lrwxrwxrwx   1 owner group         9 2001-02-03 04:05 link -> target
//	crw-rw-rw-   1 root  root     1,   3 Dec 31  1999 null
func parseUnix(line string, now time.Time) (fetchers.Entry, bool) {
	mode := unixMode.FindStringSubmatch(line)
	if mode == nil {
		return fetchers.Entry{}, false
	}
	e, before, ok := parseLs(line, line[0] == 'd', now)
	if !ok {
		return fetchers.Entry{}, false
	}
	setAttribute(&e, "unix.mode", octal(mode[1]))
	if len(before) > 0 && digits(before[0].text) && len(before) > 1 {
		before = before[1:] // number of links
	}
	if len(before) > 0 {
		setAttribute(&e, "unix.owner", before[0].text)
	}
	if len(before) > 1 {
		setAttribute(&e, "unix.group", line[before[1].start:before[len(before)-1].end])
	}
	switch line[0] {
	case 'l': // the listing does not contain the Kind of the target
		e.Kind, e.Size, e.MediaType = fetchers.Unknown, -1, ""
		if link, target, ok := strings.Cut(e.Name, " -> "); ok {
			e.Name = link
			setAttribute(&e, "unix.link", target)
		}
	case '-', 'd':
	default:
		e.Kind, e.Size, e.MediaType = fetchers.Unknown, -1, ""
	}
	return e, e.Name != ""
}

// netWareMode matches the rights of NetWare servers, with or without a space after the first
// letter.
var netWareMode = regexp.MustCompile(`^([-d]) ?(\[[-RWCEAFMS]{8}\]) `)

// parseNetWare parses a line of NetWare.
//
//	d [R----F--] supervisor            512       Jan 16 18:53    login
//	- [R----F--] rhesus             214059       Oct 20 15:27    cx.exe
func parseNetWare(line string, now time.Time) (fetchers.Entry, bool) {
	mode := netWareMode.FindStringSubmatch(line)
	if mode == nil {
		return fetchers.Entry{}, false
	}
	rest := line[len(mode[0])-1:]
	e, before, ok := parseLs("-"+rest, mode[1] == "d", now)
	if !ok {
		return fetchers.Entry{}, false
	}
	e.Name = strings.TrimLeft(e.Name, " ") // names are in an aligned column
	setAttribute(&e, "netware.rights", mode[2])
	if len(before) > 0 {
		setAttribute(&e, "netware.owner", before[0].text)
	}
	return e, e.Name != ""
}

// parseLs parses the columns after the mode: the words before the size, which are returned, the
// size, the date and the name. A single space separates date and name, so that a name may begin
// with spaces.
func parseLs(line string, directory bool, now time.Time) (e fetchers.Entry, before []field, ok bool) {
	words := fields(line, 16)
	for i := 2; i < len(words); i++ {
		number := strings.ReplaceAll(words[i-1].text, ",", "")
		if !digits(number) {
			continue
		}
		when, n, ok := parseLsTime(words[i:], now)
		if !ok {
			continue
		}
		name := line[words[i+n-1].end:]
		if name == "" || name[0] != ' ' || len(name) < 2 {
			return e, nil, false
		}
		e = entry(name[1:], directory)
		e.ModTime, e.DateOnly = when, !strings.Contains(line[words[i].start:words[i+n-1].end], ":")
		size, err := strconv.ParseInt(number, 10, 64)
		if err == nil && !directory {
			e.Size = size
		}
		before = words[1 : i-1]
		if last := len(before) - 1; last >= 0 && strings.HasSuffix(before[last].text, ",") {
			before = before[:last] // the numbers of a device, "1, 3"
		}
		return e, before, true
	}
	return e, nil, false
}

// octal converts rwxr-x--t to 1751.
func octal(mode string) string {
	bits := 0
	for i := range 9 {
		if !strings.ContainsRune("-STlL", rune(mode[i])) {
			bits |= 0o400 >> i
		}
		if i%3 == 2 && strings.ContainsRune("sStTlL", rune(mode[i])) {
			bits |= 0o4000 >> (i / 3)
		}
	}
	return fmt.Sprintf("%04o", bits)
}
