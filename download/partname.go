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

// The endings of a partial file, of its journal, and of the next journal, which replaces that.
const (
	partEnd    = ".part"
	journalEnd = ".json"
	nextEnd    = ".new"
)

// longest is how many octets a file name may have on most file systems. A name of sure octets
// fits every file system, even with the endings.
const (
	longest = 255
	sure    = 100
)

// partName returns NAME.part, the name of the partial file of NAME. If NAME.part.json would be
// too long for a file name, the name has the beginning of NAME and a hash of it instead.
func partName(name string) string {
	dir, base := filepath.Split(name)
	if len(base) <= sure || !tooLong(base, name+partEnd+journalEnd, len(partEnd+journalEnd)) || tooLong(base, name, 0) {
		return name + partEnd
	}
	sum := sha256.Sum256([]byte(base))
	return dir + fmt.Sprintf("%s~%x", cut(base, sure-20), sum[:8]) + partEnd
}

// tooLong reports whether a file cannot have a name, which is base with more octets.
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

// journalName and nextJournal return the names of the journal of a partial file, and of the
// next one.
func journalName(part string) string { return part + journalEnd }
func nextJournal(part string) string { return part + nextEnd }

// numbered returns NAME, NAME.1, NAME.2 and so on. If that is too long for a file name, the
// end of NAME gives way to the number.
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

// next returns a number after n that may be free. After the first few numbers it passes over
// those that are taken in steps that double, and then halves the last step, so that thousands
// of them cost only a few looks.
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
