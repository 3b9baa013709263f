package ftp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxLine bounds a line of a listing.
const maxLine = 64 << 10

// A lineParser reads one line of a listing into an Entry without a URL. It
// returns false for a line that is no entry at all and says nothing, such as
// that of the directory itself.
type lineParser func(line string) (fetchers.Entry, bool)

// parser returns a Parse for the listing of the directory that dir means.
func parser(dir url.FTP, parse lineParser) func(io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			lines := bufio.NewScanner(body)
			lines.Buffer(make([]byte, 4096), maxLine)
			lines.Split(scanLines)
			for lines.Scan() {
				e, ok := parse(lines.Text())
				if !ok {
					continue
				}
				if e.Kind != fetchers.Text && e.Kind != fetchers.Unparsed {
					e.URL = child(dir, e)
				}
				if !yield(e, nil) {
					return
				}
			}
			err := lines.Err()
			if err == bufio.ErrTooLong {
				err = fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, maxLine)
			}
			if err != nil {
				yield(fetchers.Entry{}, err)
			}
		}
	}
}

// scanLines is bufio.ScanLines, but an error is not taken for the end: what came
// before it of a line is not a line.
func scanLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, bytes.TrimSuffix(data[:i], []byte("\r")), nil
	}
	if atEOF && len(data) > 0 {
		return len(data), bytes.TrimSuffix(data, []byte("\r")), nil
	}
	return 0, nil, nil
}

// child returns the URL of an entry of dir. The name is one element whatever is
// in it, so a server cannot lead out of the directory by it.
func child(dir url.FTP, e fetchers.Entry) *url.URL {
	if e.Kind == fetchers.Listing {
		dir.CWD = append(dir.CWD[:len(dir.CWD):len(dir.CWD)], e.Name)
	} else {
		dir.Name = e.Name
	}
	return dir.URL()
}

// parseName returns a parser for the names of NLST, from which it takes the
// directory that was asked for.
func parseName(prefix string) lineParser {
	return func(line string) (fetchers.Entry, bool) {
		name := strings.TrimPrefix(line, prefix)
		if name == "" || name == "." || name == ".." {
			return fetchers.Entry{}, false
		}
		return fetchers.Entry{Name: name, Size: -1, MediaType: fetchers.TypeByName(name)}, true
	}
}

// parseFacts reads a line of MLSD (RFC 3659, section 7): facts, each ended by a
// semicolon, a space, and the name.
func parseFacts(line string) (fetchers.Entry, bool) {
	facts, name, ok := strings.Cut(line, " ")
	if !ok || name == "" || facts != "" && !strings.Contains(facts, "=") {
		return unparsed(line), line != ""
	}
	e := fetchers.Entry{Name: name, Size: -1}
	for fact := range strings.SplitSeq(facts, ";") {
		key, value, _ := strings.Cut(fact, "=")
		switch key = strings.ToLower(key); key {
		case "":
		case "type":
			switch strings.ToLower(value) {
			case "file":
				e.Kind = fetchers.Document
			case "dir":
				e.Kind = fetchers.Listing
			case "cdir", "pdir":
				return fetchers.Entry{}, false
			default:
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
	if e.Kind == fetchers.Document {
		e.MediaType = fetchers.TypeByName(name)
	}
	return e, true
}

// parseTimeVal reads YYYYMMDDHHMMSS, with or without a fraction, which is in UTC
// (RFC 3659, section 2.3).
func parseTimeVal(s string) time.Time {
	t, _ := time.Parse("20060102150405", s) // a fraction is accepted too
	return t
}

// parseLs reads a line as ls -l writes it. There is no standard for LIST; this is
// what most servers send, with a mark for access lists after the mode or none.
//
//	drwxr-xr-x+  2 owner group      4096 Dec 31  1999 a name
//	-rw-r--r--   1 0     0            27 Nov 20 11:24 hello.txt
//	lrwxrwxrwx   1 owner group         9 Jan  2 03:04 link -> target
func parseLs(line string) (fetchers.Entry, bool) {
	if words, ok := strings.CutPrefix(line, "total "); ok {
		if _, err := strconv.Atoi(words); err == nil {
			return fetchers.Entry{}, false
		}
	}
	fields, name := cutFields(line, 8)
	if len(fields) < 8 || name == "" || len(fields[0]) < 10 {
		return unparsed(line), line != ""
	}
	mode := fields[0]
	e := fetchers.Entry{Name: name, Size: -1, Attributes: map[string]string{
		"unix.mode": octal(mode[1:10]), "unix.owner": fields[2], "unix.group": fields[3],
	}}
	size, err := strconv.ParseInt(fields[4], 10, 64)
	when, ok := parseLsTime(fields[5], fields[6], fields[7], time.Now().UTC())
	if err != nil || !ok {
		return unparsed(line), true
	}
	e.ModTime = when
	switch mode[0] {
	case '-':
		e.Kind, e.Size, e.MediaType = fetchers.Document, size, fetchers.TypeByName(name)
	case 'd':
		e.Kind = fetchers.Listing
		if name == "." || name == ".." {
			return fetchers.Entry{}, false
		}
	case 'l': // to what, the listing does not say
		if link, target, ok := strings.Cut(name, " -> "); ok {
			e.Name = link
			setAttribute(&e, "unix.link", target)
		}
	case 'p', 's', 'b', 'c':
	default:
		return unparsed(line), true
	}
	return e, true
}

// octal writes rwxr-x--t as 1751.
func octal(mode string) string {
	bits := 0
	for i := range 9 {
		if c := mode[i]; c != '-' && c != 'S' && c != 'T' {
			bits |= 0o400 >> i
		}
		if i%3 == 2 && strings.ContainsRune("sStT", rune(mode[i])) {
			bits |= 0o4000 >> (i / 3)
		}
	}
	return fmt.Sprintf("%04o", bits)
}

// cutFields cuts n fields off the front of a line. The rest follows one space
// after the last, so that a name may begin with spaces.
func cutFields(line string, n int) (fields []string, rest string) {
	rest = line
	for len(fields) < n {
		rest = strings.TrimLeft(rest, " ")
		field, after, ok := strings.Cut(rest, " ")
		if !ok {
			return fields, ""
		}
		fields, rest = append(fields, field), after
	}
	return fields, rest
}

// parseLsTime reads "Dec 31 1999" or "Nov 20 11:24". The second form leaves out
// the year of a time that is less than about six months past; a time that would
// lie more than a day in the future is therefore of the year before. Servers
// differ in the zone they mean; UTC is assumed.
func parseLsTime(month, day, yearOrTime string, now time.Time) (time.Time, bool) {
	date := month + " " + day + " "
	if !strings.Contains(yearOrTime, ":") {
		t, err := time.Parse("Jan 2 2006", date+yearOrTime)
		return t, err == nil
	}
	// The year has to be known before the day is judged: Feb 29 is in some.
	for _, year := range []int{now.Year() + 1, now.Year(), now.Year() - 1} {
		t, err := time.Parse("Jan 2 2006 15:04", date+strconv.Itoa(year)+" "+yearOrTime)
		if err == nil && t.Before(now.Add(24*time.Hour)) {
			return t, true
		}
	}
	return time.Time{}, false
}

func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}

func setAttribute(e *fetchers.Entry, key, value string) {
	if e.Attributes == nil {
		e.Attributes = make(map[string]string)
	}
	e.Attributes[key] = value
}
