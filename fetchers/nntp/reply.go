package nntp

import (
	"errors"
	"io/fs"
	"regexp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns r as an error.
func refusal(r fetchers.Reply) error {
	return &fetchers.StatusError{Reply: r, Class: classOf(r)}
}

// classOf returns the class of a refusal (RFC 3977, section 3.2; RFC 4643).
func classOf(r fetchers.Reply) error {
	switch r.Code {
	case 400, 403:
		if tooMany.MatchString(r.Text) {
			return fetchers.Temporary(fetchers.ErrBusy)
		}
		return fetchers.ErrTemporary
	case 411, 420, 421, 422, 423, 430:
		return fs.ErrNotExist
	case 480:
		return fetchers.ErrLogin
	case 481, 482: // 482 meant a wrong password before it meant a wrong order (RFC 2980, section 3.1.1)
		if tooMany.MatchString(r.Text) {
			return fetchers.Temporary(fetchers.ErrBusy)
		}
		return fetchers.ErrLogin
	case 502:
		if tooMany.MatchString(r.Text) {
			return fetchers.Temporary(fetchers.ErrBusy)
		}
		return fs.ErrPermission
	case 483:
		return fs.ErrPermission
	case 500, 501, 503:
		return errors.ErrUnsupported
	}
	return fetchers.ErrProtocol
}

// tooMany matches the texts of servers that limit connections, in all or per client. There is no
// code for that.
var tooMany = regexp.MustCompile(`(?i)too many|maximum number|\b(connection|session|user)s? limit|\blimit\b.*\b(connection|session)|\btry (again )?later\b`)

// isCrowded reports whether err is such a refusal.
func isCrowded(err error) bool { return errors.Is(err, fetchers.ErrBusy) }
