package download

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// maxName is the longest name most file systems take, less the characters that are added to
// it here and while a file is written.
const maxName = 255 - len("_.part.json")

// ErrNoName says that a URL has no name for a file.
var ErrNoName = errors.New("the URL has no file name")

// Name returns the name of the file for u: the last element of its
// path, made safe by [SafeName]. It is ErrNoName for a path that is empty or ends
// in a slash, and for a nil URL.
func Name(u *url.URL) (string, error) {
	if u == nil {
		return "", ErrNoName
	}
	base := u.Base()
	if base == "" {
		return "", ErrNoName
	}
	return SafeName(base), nil
}

// SafeName makes a stranger's name that of a file in the directory it is put in: separators
// and characters that are [url.Deceptive] become "_", and so does a leading dot or dash. The
// name of a device on any system gets a "_" in front, and that of a partial file or its
// journal, which a later download would resume, one behind.
func SafeName(name string) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range name {
		switch {
		case r == utf8.RuneError && name[i] >= 0x80 && !strings.HasPrefix(name[i:], "\uFFFD"):
			b.WriteByte(name[i]) // an octet that is no UTF-8
		case strings.ContainsRune(`/\:*?"<>|`, r), url.Deceptive(before, r):
			b.WriteByte('_')
			r = 0
		case i == 0 && (r == '.' || r == '-'):
			b.WriteByte('_')
		default:
			b.WriteRune(r)
		}
		before = r
	}
	safe := b.String()
	if len(safe) > maxName {
		end := maxName
		for end > maxName-utf8.UTFMax && !utf8.RuneStart(safe[end]) {
			end--
		}
		safe = safe[:end]
	}
	safe = strings.TrimRight(safe, ". ")
	if safe == "" {
		safe = "_"
	}
	if url.WindowsDevice(safe) {
		safe = "_" + safe
	}
	for _, end := range []string{partEnd, journalName(partEnd), nextJournal(partEnd)} {
		if strings.HasSuffix(strings.ToLower(safe), end) {
			safe += "_"
		}
	}
	return safe
}
