package download

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/url"
)

// maxName is the maximum name length of most file systems, less the characters that this package
// adds, also while a file is written.
const maxName = 255 - len("_.part.json")

// ErrNoName means that a URL has no file name.
var ErrNoName = errors.New("the URL has no file name")

// Name returns a file name for u: the last element of its path, made safe by [SafeName]. The error
// is ErrNoName if the path is empty or ends in a slash, or if u is nil.
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

// SafeName turns a name from a stranger into a file name without directories. It replaces
// separators, characters that are [url.Deceptive], and a leading dot or dash with "_". It adds "_"
// before the name of a device of any system. It adds "_" after the name of a partial file or its
// journal, which a later download would resume.
func SafeName(name string) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range name {
		switch {
		case r == utf8.RuneError && name[i] >= 0x80 && !strings.HasPrefix(name[i:], "\uFFFD"):
			b.WriteByte(name[i]) // a byte that is not valid UTF-8
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
