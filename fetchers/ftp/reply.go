package ftp

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// cutCode splits a line of a reply into its code of three digits, the first of which is not 0 (RFC
// 959, section 4.2.1), and its text.
func cutCode(line string) (code, text string, ok bool) {
	if len(line) < 3 || line[0] == '0' || len(line) > 3 && line[3] != ' ' && line[3] != '-' {
		return "", "", false
	}
	for i := range 3 {
		if line[i] < '0' || '9' < line[i] {
			return "", "", false
		}
	}
	return line[:3], strings.TrimSpace(line[min(4, len(line)):]), true
}

// crowded matches the texts of servers that answer 530 because they are full, and not because the
// login was refused.
var crowded = regexp.MustCompile(`(?i)too many|maximum number|\b(limit|try again|busy)\b|(is|are|server|currently) full\b`)

// isCrowded reports whether err means that the server is full.
func isCrowded(err error) bool { return errors.Is(err, fetchers.ErrBusy) }

// forbidden matches the texts of a 550 for a file that exists.
var forbidden = regexp.MustCompile(`(?i)denied|permission|not allowed|not permitted|forbidden|prohibited`)

// classOf returns the class of a refusal (RFC 959, section 4.2.1). 552 comes from servers that
// limit the amount a user may fetch. Any other 5xx is for a command that the server does not
// support, or not in this form.
func classOf(r fetchers.Reply) error {
	switch {
	case (r.Code/100 == 4 || r.Code == 530) && crowded.MatchString(r.Text):
		return fetchers.Temporary(fetchers.ErrBusy)
	case r.Code/100 == 4:
		return fetchers.ErrTemporary
	case r.Code == 530:
		return fetchers.ErrLogin
	case r.Code == 550 && !forbidden.MatchString(r.Text):
		return fs.ErrNotExist
	case r.Code == 532, r.Code == 550, r.Code == 552, r.Code == 553:
		return fs.ErrPermission
	case r.Code/100 == 5:
		return errors.ErrUnsupported
	}
	return fetchers.ErrProtocol
}

// sizes matches the replies to SIZE with text beside the number.
var sizes = regexp.MustCompile(`(?i)^([0-9]+) (?:bytes|octets)\b[^0-9]*$|^[^0-9]*[ :=]([0-9]+)$`)

// sizeIn returns the number in the text of a 213, as digits. Text of any other form is returned
// unchanged.
func sizeIn(text string) string {
	if m := sizes.FindStringSubmatch(text); m != nil {
		return m[1] + m[2]
	}
	return text
}
