package option

import (
	"errors"
	"fmt"
	"net/textproto"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// parse reads the range and the header fields, from their texts.
func (a *Ask) parse() (err error) {
	if a.RangeText != "" {
		if a.Range, err = parseRange(a.RangeText); err != nil {
			return err
		}
	}
	a.Fields, err = a.fields()
	return err
}

// fields returns the header fields that the flags set.
func (a *Ask) fields() (textproto.MIMEHeader, error) {
	h := textproto.MIMEHeader{}
	for _, field := range a.Headers {
		name, value, ok := strings.Cut(field, ":")
		value = strings.TrimSpace(value)
		if blank, is := blankField(field); is {
			name, value, ok = blank, http.Blank, true
		}
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New("-H wants NAME: VALUE, and there is one without a name or a colon") // it may be a secret
		}
		h.Add(name, value)
	}
	if a.UserAgent != "" {
		h.Set("User-Agent", a.UserAgent)
	}
	if a.Referer != "" {
		h.Set("Referer", a.Referer)
	}
	if pairs := cookieField(a.Cookies); pairs != "" {
		if h.Get("Cookie") == "" {
			h.Del("Cookie") // -H removes the default field, and not the cookies of --cookie
		}
		h.Add("Cookie", pairs)
	}
	return h, http.CheckFields(h)
}

// blankField returns the name in a field that is sent without a value: NAME; alone.
func blankField(field string) (name string, ok bool) {
	name, ok = strings.CutSuffix(strings.TrimSpace(field), ";")
	return name, ok && !strings.ContainsAny(name, ":; \t")
}

// cookieField returns the field Cookie of those values of --cookie that are NAME=VALUE, or "".
func cookieField(values []string) string {
	var pairs []string
	for _, v := range values {
		if hasCookies(v) {
			pairs = append(pairs, strings.Trim(v, "; "))
		}
	}
	return strings.Join(pairs, "; ")
}

// CookieFiles returns those values of --cookie that are names of files.
func (a *Ask) CookieFiles() (names []string) {
	for _, v := range a.Cookies {
		if v != "" && !hasCookies(v) {
			names = append(names, v)
		}
	}
	return names
}

// hasCookies reports whether a value of --cookie has cookies, and is no name of a file.
func hasCookies(value string) bool { return strings.Contains(value, "=") }

// parseRange reads A-B, A- or -N. 0- is a range too, though all of the resource.
func parseRange(s string) (r fetchers.Range, err error) {
	wrong := func() error { return fmt.Errorf("-r wants A-B, A- or -N, not %q", url.Redact(s)) }
	if strings.Contains(s, ",") {
		return r, errors.New("-r takes one range; run fetch once for each of several")
	}
	first, last, ok := strings.Cut(s, "-")
	if !ok || first == "" && last == "" {
		return r, wrong()
	}
	var a, b uint64
	if first != "" {
		a, err = strconv.ParseUint(first, 10, 62)
	}
	if err == nil && last != "" {
		b, err = strconv.ParseUint(last, 10, 62)
	}
	switch {
	case err != nil, first != "" && last != "" && b < a, first == "" && b == 0:
		return r, wrong()
	case first == "":
		return fetchers.Range{Offset: -int64(b)}, nil
	case last != "":
		r.Length = int64(b-a) + 1
	case a == 0:
		r.Length = fetchers.ToEnd
	}
	r.Offset = int64(a)
	return r, nil
}
