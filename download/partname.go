package download

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"
)

// The names of a part, of its journal, and of the journal that is to replace that.
const (
	partEnd    = ".part"
	journalEnd = ".json"
	nextEnd    = ".new"
)

// longest is how many octets a file name may have on most file systems, and sure a length
// that fits every file system even with the suffixes.
const (
	longest = 255
	sure    = 100
)

// partName returns NAME.part, for the part of NAME. If NAME is as long as a file name may
// be, so that NAME.part.json would be too long, the part is called after the beginning of
// NAME and a hash of it.
func partName(name string) string {
	dir, base := filepath.Split(name)
	if len(base) <= sure || !tooLong(base, name+partEnd+journalEnd, len(partEnd+journalEnd)) || tooLong(base, name, 0) {
		return name + partEnd
	}
	sum := sha256.Sum256([]byte(base))
	return dir + fmt.Sprintf("%s~%x", cut(base, sure-20), sum[:8]) + partEnd
}

// tooLong reports whether a file cannot be called name, which is base with more octets.
func tooLong(base, name string, more int) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, syscall.ENAMETOOLONG) || len(utf16.Encode([]rune(base)))+more > longest
}

// cut returns the beginning of a name, of n octets at most.
func cut(name string, n int) string {
	if len(name) <= n {
		return name
	}
	for end := n; end > n-utf8.UTFMax; end-- {
		if utf8.RuneStart(name[end]) {
			return name[:end]
		}
	}
	return name[:n]
}

// journalName and nextJournal return the names of the journal of a part, and of the one
// that is to replace it.
func journalName(part string) string { return part + journalEnd }
func nextJournal(part string) string { return part + nextEnd }

// numbered returns NAME, NAME.1, NAME.2 and so on. The end of a NAME that is as long as a
// file name may be gives way to the number.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	dir, base := filepath.Split(name)
	number := "." + strconv.Itoa(n)
	return dir + cut(base, longest-len(number)) + number
}

// few is how many numbers are tried one after the other.
const few = 16

// next returns a number after n that may be free. After the first few numbers those that
// are taken are passed over in steps that double, and the last step is halved, so that
// thousands of them cost no more than a few looks.
func next(n int, taken func(n int) bool) int {
	n++
	if n < few || !taken(n) {
		return n
	}
	below, above := n, n+1
	for step := 2; taken(above); step *= 2 {
		below, above = above, above+step
	}
	for above-below > 1 {
		middle := below + (above-below)/2
		if taken(middle) {
			below = middle
		} else {
			above = middle
		}
	}
	return above
}

// isThere reports whether anything has a name.
func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
