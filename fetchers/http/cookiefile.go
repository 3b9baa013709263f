package http

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/url"
)

// ReadCookies reads a cookie file in the format of Netscape, as curl and browsers
// write it. Each line is seven fields with a TAB between them:
//
//	domain  TRUE if for hosts below it too  path  TRUE if secure  expires  name  value
//
// The domain may begin with a dot, which means nothing. A line that begins with #
// is a remark, unless it begins with #HttpOnly_. The time is in seconds since 1970,
// and 0 for a cookie that ends with the session.
//
// The error tells of the lines that are not like that, by number and without
// their text; the cookies of all others are returned with it.
func ReadCookies(r io.Reader) ([]Cookie, error) {
	var cookies []Cookie
	err := eachLine(r, func(line string) error {
		text, httpOnly := strings.CutPrefix(line, "#HttpOnly_")
		if strings.HasPrefix(text, "#") {
			return nil
		}
		c, err := readCookieLine(text)
		if err == nil {
			c.HTTPOnly = httpOnly
			cookies = append(cookies, c)
		}
		return err
	})
	return cookies, err
}

func readCookieLine(line string) (c Cookie, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) == 6 {
		fields = append(fields, "") // an empty value whose TAB an editor has removed
	}
	if len(fields) != 7 {
		return c, fmt.Errorf("%d fields in place of 7", len(fields))
	}
	host, err := hostField(strings.TrimPrefix(fields[0], "."))
	if err != nil {
		return c, err
	}
	below, err1 := boolField(fields[1])
	secure, err2 := boolField(fields[3])
	expires, err3 := strconv.ParseInt(fields[4], 10, 64)
	c = Cookie{Path: fields[2], Secure: secure, Name: fields[5], Value: fields[6]}
	domain := ""
	if below {
		domain = host
	}
	switch {
	case err1 != nil || err2 != nil:
		return c, errors.New("neither TRUE nor FALSE")
	case err3 != nil || expires < 0 || expires > maxTime:
		return c, errors.New("bad time")
	case !strings.HasPrefix(c.Path, "/") || len(c.Path) > maxAttribute || hasControl(c.Path):
		return c, errors.New("bad path")
	case !c.valid():
		return c, errors.New("bad name or value")
	case !c.settle(host, c.Path, domain):
		return c, errors.New("bad domain")
	}
	if expires > 0 {
		c.Expires = time.Unix(expires, 0).UTC()
	}
	return c, nil
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

// hostField reads the name of a host in a file.
func hostField(s string) (string, error) {
	u, err := url.Parse(location(strings.Trim(s, "[]"), "").String())
	if err != nil || u.User != nil || u.Port != 0 || u.Path != "/" || u.Query+u.Fragment != "" {
		return "", errors.New("bad host")
	}
	return hostOf(u), nil
}

// Load adds the cookies in a file. The error is that of ReadCookies; what could
// be read is added all the same.
func (j *Jar) Load(r io.Reader) error {
	cookies, err := ReadCookies(r)
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range cookies {
		j.put(c)
	}
	return err
}

// Save writes the cookies that have not expired as ReadCookies reads them, those
// of the session too.
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
	maxLine  = 16 << 10 // more than the longest cookie
	maxWrong = 20       // lines told about
)

// eachLine calls read with each line of a file that is not empty. Its error joins
// what read found wrong, with the numbers of the lines.
func eachLine(r io.Reader, read func(line string) error) error {
	in := bufio.NewReaderSize(r, maxLine)
	var wrong []error
	more := 0
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
		switch {
		case problem != nil && len(wrong) < maxWrong:
			wrong = append(wrong, fmt.Errorf("line %d: %w", number, problem))
		case problem != nil:
			more++
		}
		if err == nil {
			continue
		}
		if more > 0 {
			wrong = append(wrong, fmt.Errorf("and %d lines more", more))
		}
		if err != io.EOF {
			wrong = append(wrong, err)
		}
		return errors.Join(wrong...)
	}
}
