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

// The suffixes of a partial file, of its journal, and of the next journal, which replaces the
// journal.
const (
	partEnd    = ".part"
	journalEnd = ".json"
	nextEnd    = ".new"
)

// longest is the maximum length of a file name in bytes on most file systems. A name of sure bytes
// fits every file system, even with the suffixes.
const (
	longest = 255
	sure    = 100
)

// partName returns NAME.part, the name of the partial file of NAME. If NAME.part.json would be too
// long for a file name, it uses the beginning of NAME and a hash of NAME instead.
func partName(name string) string {
	dir, base := filepath.Split(name)
	if len(base) <= sure || !tooLong(base, name+partEnd+journalEnd, len(partEnd+journalEnd)) || tooLong(base, name, 0) {
		return name + partEnd
	}
	sum := sha256.Sum256([]byte(base))
	return dir + fmt.Sprintf("%s~%x", cut(base, sure-20), sum[:8]) + partEnd
}

// tooLong reports whether name, which is base with more bytes appended, is too long for a file.
func tooLong(base, name string, more int) bool {
	_, err := os.Lstat(name)
	return errors.Is(err, syscall.ENAMETOOLONG) || len(utf16.Encode([]rune(base)))+more > longest
}

// cut returns the beginning of a name, at most n bytes.
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

// journalName and nextJournal return the names of the journal of a partial file, and of the next
// journal.
func journalName(part string) string { return part + journalEnd }
func nextJournal(part string) string { return part + nextEnd }

// numbered returns NAME, NAME.1, NAME.2 and so on. If that is too long for a file name, NAME is
// shortened.
func numbered(name string, n int) string {
	if n == 0 {
		return name
	}
	dir, base := filepath.Split(name)
	number := "." + strconv.Itoa(n)
	return dir + cut(base, longest-len(number)) + number
}

// few is how many numbers are tried one by one.
const few = 16

// next returns a number after n that may be free. After the first few numbers it skips taken ones
// in steps that double, and then halves the last step, so that thousands of taken names need few
// lookups.
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

// isThere reports whether a file or any other object has the name.
func isThere(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
