package wais

import (
	"io/fs"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/apdu"
)

// refused returns a diagnostic as an error, with its code and the words of the server.
func refused(d apdu.Diagnostic) error {
	e := &fetchers.StatusError{Reply: fetchers.Reply{Text: strings.TrimSpace(d.Code + " " + d.Text)}}
	switch d.Code {
	case "S1": // "permanent system error" of any kind; the words tell which
		if strings.Contains(d.Text, "database is not available") {
			e.Class = fs.ErrNotExist
		}
	case "SF": // "request out of range", for everything that cannot be retrieved
		e.Class = fs.ErrNotExist
	case "S2", "SV", "SY", "SZ", "T0", "T1": // system error, lock, resources: all temporary
		e.Class = fetchers.ErrTemporary
	case "SH", "T2", "T3", "T4": // not authorized, access control, challenges
		e.Class = fs.ErrPermission
	}
	return e
}

// beyond reports whether d is about the requested range rather than the document.
func beyond(d apdu.Diagnostic) bool {
	return d.Code == "SF" && strings.Contains(strings.ToLower(d.Text), "out of range")
}

// vanished reports whether d, in the middle of a document, means that the document no longer
// exists. The words are those of freeWAIS; any other SF there means the end of the document.
func vanished(d apdu.Diagnostic) bool {
	for _, words := range []string{"DocID", "not present", "missing"} {
		if strings.Contains(d.Text, words) {
			return true
		}
	}
	return false
}
