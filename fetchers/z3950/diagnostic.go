package z3950

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// A condition is a diagnostic of the set Bib-1: its meaning, since servers often send only the
// number, and its class.
type condition struct {
	words string
	class error
}

// conditions are those with a class, or with a meaning for users.
var conditions = map[int64]condition{
	1:    {"permanent system error", nil},
	2:    {"temporary system error", fetchers.ErrTemporary},
	3:    {"unsupported search", errors.ErrUnsupported},
	4:    {"the words are all too common", nil},
	13:   {"present request out of range", fs.ErrNotExist},
	14:   {"system error in presenting records", nil},
	15:   {"record not authorized to be sent", fs.ErrPermission},
	16:   {"record too large", nil},
	17:   {"record too large", nil},
	24:   {"element sets not supported", errors.ErrUnsupported},
	25:   {"element set not valid for the database", errors.ErrUnsupported},
	26:   {"only one element set supported", errors.ErrUnsupported},
	28:   {"result set in use", fetchers.ErrTemporary},
	29:   {"database locked", fetchers.ErrTemporary},
	31:   {"resources exhausted", fetchers.ErrTemporary},
	32:   {"resources exhausted", fetchers.ErrTemporary},
	100:  {"unspecified error", nil},
	101:  {"access control failure", fetchers.ErrLogin},
	106:  {"no record syntax agreed to", errors.ErrUnsupported},
	107:  {"query type not supported", errors.ErrUnsupported},
	109:  {"database unavailable", fs.ErrNotExist},
	111:  {"too many databases", errors.ErrUnsupported},
	113:  {"attribute type not supported", errors.ErrUnsupported},
	114:  {"use attribute not supported", errors.ErrUnsupported},
	116:  {"use attribute required", errors.ErrUnsupported},
	117:  {"relation attribute not supported", errors.ErrUnsupported},
	118:  {"structure attribute not supported", errors.ErrUnsupported},
	120:  {"truncation attribute not supported", errors.ErrUnsupported},
	121:  {"attribute set not supported", errors.ErrUnsupported},
	123:  {"combination of attributes not supported", errors.ErrUnsupported},
	125:  {"malformed search term", nil},
	126:  {"illegal term for the attribute", nil},
	227:  {"no data in that record syntax", errors.ErrUnsupported},
	235:  {"database does not exist", fs.ErrNotExist},
	236:  {"access to the database denied", fetchers.ErrLogin},
	238:  {"record not available in that syntax", errors.ErrUnsupported},
	239:  {"record syntax not supported", errors.ErrUnsupported},
	1010: {"bad user", fetchers.ErrLogin},
	1011: {"bad user or password", fetchers.ErrLogin},
	1012: {"no searches remaining", fs.ErrPermission},
	1013: {"not by this kind of client", fs.ErrPermission},
	1014: {"authentication system error", fetchers.ErrLogin},
	1015: {"too many sessions of the user", fetchers.Temporary(fetchers.ErrBusy)},
	1016: {"network address blocked", fs.ErrPermission},
	1017: {"no database available to the user", fs.ErrPermission},
	1018: {"out of resources", fetchers.Temporary(fetchers.ErrBusy)},
	1019: {"closed for maintenance", fetchers.ErrTemporary},
	1020: {"temporarily unavailable", fetchers.ErrTemporary},
	1021: {"account expired", fetchers.ErrLogin},
	1022: {"password expired", fetchers.ErrLogin},
	1023: {"password changed by an administrator", fetchers.ErrLogin},
	1028: {"record deleted", fs.ErrNotExist},
}

// refused returns a diagnostic as an error, with the words of the server after its meaning.
func refused(d z3950.Diagnostic) error {
	e := &fetchers.StatusError{Reply: fetchers.Reply{Code: int(d.Condition)}}
	c, known := conditions[d.Condition]
	switch {
	case !d.Bib1():
		e.Text = fmt.Sprintf("condition of %s", d.Set)
	case known:
		e.Text, e.Class = c.words, c.class
	default:
		e.Text = "diagnostic of Bib-1"
	}
	if d.Detail != "" {
		e.Text += ": " + d.Detail
	}
	return e
}

// about reports whether err is a refusal with one of the conditions.
func about(err error, conditions ...int) bool {
	var e *fetchers.StatusError
	if !errors.As(err, &e) {
		return false
	}
	for _, c := range conditions {
		if e.Code == c {
			return true
		}
	}
	return false
}

// ofAttributes reports whether err means that a server does not support the attributes of a query.
func ofAttributes(err error) bool {
	return about(err, 3, 113, 114, 116, 117, 118, 119, 120, 121, 122, 123, 126, 1024, 1056)
}

// ofElements reports whether err means that a server does not have an element set.
func ofElements(err error) bool { return about(err, 24, 25, 26) }

// ofSyntax reports whether err may be about the record syntax, so that another one is worth a try.
func ofSyntax(err error) bool { return about(err, 1, 14, 100, 106, 227, 238, 239) }
