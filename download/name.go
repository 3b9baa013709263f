package download

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// maxName is the longest name most file systems take, less what is added to it
// here and while a file is written.
const maxName = 255 - len("_.part.json")

// ErrNoName says that a URL names nothing a file could be called after.
var ErrNoName = errors.New("the URL has no file name")

// Name returns the name of a file for what u names: the last element of its
// path, made safe by [SafeName]. It is ErrNoName for a path that is empty or ends
// in a slash.
func Name(u *url.URL) (string, error) {
	base := u.Base()
	if base == "" {
		return "", ErrNoName
	}
	return SafeName(base), nil
}

// SafeName makes a name that came from a stranger one that can only be that of a
// file in the directory it is put in: separators and what is [url.Deceptive] become
// "_", and so does a leading dot or dash. Names that mean a device somewhere get a "_"
// in front, and those that mean a part or a journal of it,
// which a later download would go on with, one behind.
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
