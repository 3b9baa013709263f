package http

import (
	"strings"
	"time"
)

// A cookieDate holds the fields of a date in an Expires attribute that were parsed so far.
type cookieDate struct {
	hour, minute, second, day, year int
	month                           time.Month
	hasTime, hasDay, hasYear        bool
}

// cookieTime parses an Expires attribute as browsers do (RFC 6265, section 5.1.1): time, day, month
// and year in any order, between other words, in UTC. A time before 1970 becomes one second after
// its beginning, because the zero Time means that the cookie never expires.
func cookieTime(s string) (t time.Time, ok bool) {
	var d cookieDate
	for token := range strings.FieldsFuncSeq(s, separatesDate) {
		d.take(token)
	}
	if t, ok = d.time(); ok && t.Unix() <= 0 {
		t = time.Unix(1, 0)
	}
	return t, ok
}

// separatesDate reports whether r is a delimiter of the RFC. Colons, digits, letters, control
// characters and bytes above ASCII are not delimiters.
func separatesDate(r rune) bool {
	return r == '\t' || ' ' <= r && r <= '/' || ';' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
}

// take stores token in the first unset field whose syntax it has.
func (d *cookieDate) take(token string) {
	if !d.hasTime {
		if d.hasTime = d.takeTime(token); d.hasTime {
			return
		}
	}
	if !d.hasDay {
		if d.day, d.hasDay = dateNumber(token, 1, 2); d.hasDay {
			return
		}
	}
	if d.month == 0 {
		if d.month = monthOf(token); d.month != 0 {
			return
		}
	}
	if !d.hasYear {
		d.year, d.hasYear = dateNumber(token, 2, 4)
	}
}

// takeTime parses hour, minute and second.
func (d *cookieDate) takeTime(token string) (ok bool) {
	hour, rest, _ := strings.Cut(token, ":")
	minute, second, _ := strings.Cut(rest, ":")
	if len(hour) > 2 || len(minute) > 2 { // bytes after the second's digits are ignored; bytes before are not
		return false
	}
	if d.hour, ok = dateNumber(hour, len(hour), 2); !ok {
		return false
	}
	if d.minute, ok = dateNumber(minute, len(minute), 2); !ok {
		return false
	}
	d.second, ok = dateNumber(second, 1, 2)
	return ok
}

// dateNumber parses the leading digits of token. Their number must be from least to most.
func dateNumber(token string, least, most int) (n int, ok bool) {
	digits := token[:len(token)-len(strings.TrimLeft(token, "0123456789"))]
	if len(digits) < max(least, 1) || len(digits) > most {
		return 0, false
	}
	for _, c := range digits {
		n = 10*n + int(c-'0')
	}
	return n, true
}

// monthOf parses the first three letters of token. It returns 0 if they name no month.
func monthOf(token string) time.Month {
	if len(token) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(token[:3], m.String()[:3]) {
			return m
		}
	}
	return 0
}

// time returns the date, and whether all fields are set and the date exists.
func (d *cookieDate) time() (t time.Time, ok bool) {
	year := d.year
	switch {
	case year < 70:
		year += 2000
	case year < 100:
		year += 1900
	}
	if !d.hasTime || !d.hasDay || d.month == 0 || !d.hasYear || year < 1601 || d.hour > 23 || d.minute > 59 || d.second > 59 {
		return t, false
	}
	t = time.Date(year, d.month, d.day, d.hour, d.minute, d.second, 0, time.UTC)
	return t, t.Day() == d.day
}
