package http

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// ReadCookies reads a cookie file in the format of Netscape, as curl and browsers
// write it. Each line is seven fields with a TAB between them:
//
//	domain  TRUE if for hosts below it too  path  TRUE if secure  expires  name  value
//
// The domain may begin with a dot, which has no meaning. A line that begins with # is a comment,
// unless it begins with #HttpOnly_. The time is in seconds since 1970, and 0 for a session cookie.
// As in curl, an empty path is "/", and if a line has more than seven fields, consecutive TABs
// count as one.
//
// The file may also contain headers of HTTP responses, as curl -D writes them. Of these,
// ReadCookies reads the Set-Cookie fields that have a Domain. Without a Path the cookie is for "/".
//
// ReadCookies skips lines that it cannot parse: it returns a *LinesError for them, with the cookies
// of all other lines. Any other error is that of r.
func ReadCookies(r io.Reader) ([]Cookie, error) { return readCookies(r, "") }

// readCookies is ReadCookies, with the host of cookies without a Domain; "" rejects these.
func readCookies(r io.Reader, host string) ([]Cookie, error) {
	var cookies []Cookie
	err := eachLine(r, func(line string) error {
		read := readCookieLine
		switch name, value, _ := strings.Cut(line, ":"); {
		case strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "#HttpOnly_"), otherHeader(line):
			return nil
		case strings.EqualFold(name, "Set-Cookie"):
			line, read = value, func(field string) (Cookie, error) { return readCookieField(field, host) }
		}
		c, err := read(line)
		if err == nil {
			cookies = append(cookies, c)
		}
		return err
	})
	return cookies, err
}

// otherHeader reports whether a line is of an HTTP header, but no Set-Cookie field. A line with a
// TAB is a cookie.
func otherHeader(line string) bool {
	name, _, field := strings.Cut(line, ":")
	field = field && httpguts.ValidHeaderFieldName(name) && !strings.EqualFold(name, "Set-Cookie")
	return !strings.Contains(line, "\t") && (field || strings.HasPrefix(line, "HTTP/"))
}

// readCookieField parses a Set-Cookie field. Without a Domain the cookie is for host alone.
func readCookieField(field, host string) (Cookie, error) {
	c, domain, ok := readCookie(field)
	switch {
	case !ok:
		return c, errors.New("bad cookie")
	case domain == "" && host == "":
		return c, errors.New("no Domain")
	case domain != "":
		var err error
		if host, err = hostField(strings.TrimPrefix(domain, ".")); err != nil {
			return c, err
		}
		domain = host
	}
	if !c.settle(host, "/", domain) {
		return c, errors.New("bad domain or path")
	}
	return c, nil
}

func readCookieLine(line string) (c Cookie, err error) {
	line, c.HTTPOnly = strings.CutPrefix(line, "#HttpOnly_")
	fields := strings.Split(line, "\t")
	switch {
	case len(fields) == 6:
		fields = append(fields, "") // an empty value whose TAB an editor has removed
	case len(fields) > 7:
		fields = strings.FieldsFunc(line, func(r rune) bool { return r == '\t' })
	}
	if len(fields) != 7 {
		return c, fmt.Errorf("%d fields instead of 7", len(fields))
	}
	host, err := hostField(strings.TrimPrefix(fields[0], "."))
	if err != nil {
		return c, err
	}
	below, err1 := boolField(fields[1])
	secure, err2 := boolField(fields[3])
	expires, err3 := timeField(fields[4])
	c.Path, c.Secure, c.Expires, c.Name, c.Value = cmp.Or(fields[2], "/"), secure, expires, fields[5], fields[6]
	domain := ""
	if below {
		domain = host
	}
	switch {
	case err1 != nil || err2 != nil:
		return c, errors.New("neither TRUE nor FALSE")
	case err3 != nil:
		return c, err3
	case !strings.HasPrefix(c.Path, "/") || len(c.Path) > maxAttribute || hasControl(c.Path):
		return c, errors.New("bad path")
	case !c.valid():
		return c, errors.New("bad name or value")
	case !c.settle(host, c.Path, domain):
		return c, errors.New("bad domain")
	}
	return c, nil
}

// timeField parses a time in seconds; some programs write a fraction. 0 and the empty text, which
// Python writes, are the zero Time. A time before 1970, with which some programs mark an expired
// cookie, becomes one second after the beginning of 1970.
func timeField(s string) (t time.Time, err error) {
	if s == "" {
		return t, nil
	}
	whole, _, _ := strings.Cut(s, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil || seconds > maxTime:
		return t, errors.New("bad time")
	case seconds != 0:
		t = time.Unix(max(seconds, 1), 0).UTC()
	}
	return t, nil
}

// maxTime is the end of the year 9999.
const maxTime = 253402300799

func boolField(s string) (bool, error) {
	switch {
	case strings.EqualFold(s, "TRUE"):
		return true, nil
	case strings.EqualFold(s, "FALSE"):
		return false, nil
	}
	return false, errors.New("neither TRUE nor FALSE")
}

// hostField parses the name of a host.
func hostField(s string) (string, error) {
	s, err := idn.Host(strings.Trim(s, "[]"))
	if err != nil {
		return "", errors.New("bad host")
	}
	u, err := url.Parse(location(s, "").String())
	if err != nil || u.User != nil || u.Port != 0 || u.Path != "/" || u.Query+u.Fragment != "" {
		return "", errors.New("bad host")
	}
	return hostOf(u), nil
}

// domainOf returns a Domain attribute with its host in ASCII (RFC 6265, section 5.1.2). An
// attribute that is no host is returned unchanged, and matches no host.
func domainOf(attribute string) string {
	if host, err := idn.Host(attribute); err == nil {
		return host
	}
	return attribute
}

// Load adds the cookies of a file. The error is that of ReadCookies; the cookies that ReadCookies
// returned with it are added.
func (j *Jar) Load(r io.Reader) error { return j.LoadFor(r, nil) }

// LoadFor is Load, but cookies of Set-Cookie fields without a Domain are for the host of u alone.
// If u is nil, these are rejected.
func (j *Jar) LoadFor(r io.Reader, u *url.URL) error {
	host := ""
	if u != nil {
		host = hostOf(u)
	}
	cookies, err := readCookies(r, host)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range cookies {
		j.put(c, true)
	}
	return err
}

// Save writes the cookies that have not expired, session cookies included, in the format of
// ReadCookies.
func (j *Jar) Save(w io.Writer) error {
	out := bufio.NewWriter(w)
	out.WriteString("# Netscape HTTP Cookie File\n# Written by fetch. Edit at your own risk.\n\n")
	now := time.Now()
	for _, c := range j.Cookies() {
		if c.expired(now) {
			continue
		}
		if c.HTTPOnly {
			out.WriteString("#HttpOnly_")
		}
		expires := int64(0)
		if !c.Expires.IsZero() {
			expires = c.Expires.Unix()
		}
		below := !c.HostOnly
		if below {
			out.WriteByte('.')
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", c.Domain, boolText(below), c.Path, boolText(c.Secure), expires, c.Name, c.Value)
	}
	return out.Flush()
}

func boolText(b bool) string { return strings.ToUpper(strconv.FormatBool(b)) }

const (
	maxLine  = 16 << 10 // longer than any cookie
	maxWrong = 20       // lines reported
)

// A LinesError reports the lines of a file that were skipped, by number. It does not quote them,
// since they may contain secrets.
type LinesError struct {
	Lines []error // the first errors
	More  int     // the number of further errors
}

func (e *LinesError) Error() string {
	text := errors.Join(e.Lines...).Error()
	if e.More > 0 {
		text += fmt.Sprintf("\nand %d lines more", e.More)
	}
	return text
}

// add records the problem of a line.
func (e *LinesError) add(number int, problem error) {
	if len(e.Lines) == maxWrong {
		e.More++
		return
	}
	e.Lines = append(e.Lines, fmt.Errorf("line %d: %w", number, problem))
}

// eachLine calls read for each non-empty line. The error is that of r, or a *LinesError for the
// lines that read rejected.
func eachLine(r io.Reader, read func(line string) error) error {
	in := bufio.NewReaderSize(r, maxLine)
	var wrong LinesError
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		text, long := strings.TrimRight(string(line), "\r\n"), err == bufio.ErrBufferFull
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
		var problem error
		if long {
			problem = errors.New("too long")
		} else if text != "" && (err == nil || err == io.EOF) {
			problem = read(text)
		}
		if problem != nil {
			wrong.add(number, problem)
		}
		switch {
		case err == nil:
		case err != io.EOF:
			return err
		case len(wrong.Lines) > 0:
			return &wrong
		default:
			return nil
		}
	}
}
