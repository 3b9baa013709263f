// Package spelling finds the name that a mistyped word may mean.
package spelling

import (
	"fmt"
	"strings"
)

// Nearest returns the name that is most like word: one octet may differ, and one more for
// every five of word if the first is right. It returns "" if none is as near, since a name
// farther away, as header from spider, is another word.
func Nearest(names []string, word string) string {
	best, least := "", 2+len(word)/5
	for _, n := range names {
		if d := distance(n, word); d < least && (d <= 1 || n[0] == word[0]) {
			best, least = n, d
		}
	}
	return best
}

// Near returns the names that begin with word, and those with at most two letters that
// differ from it, in the order of names. Capital letters count as small ones.
func Near(names []string, word string) (near []string) {
	const most = 2
	word = strings.ToLower(word)
	for _, n := range names {
		if small := strings.ToLower(n); strings.HasPrefix(small, word) || distance(small, word) <= most {
			near = append(near, n)
		}
	}
	return near
}

// DidYouMean returns the end of an error that proposes a name, which format quotes or
// completes, as in ": did you mean --verbose ?" for "--%s". For the name "" it returns "".
func DidYouMean(format, name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean "+format+" ?", name)
}

// distance is how many octets have to be changed, added or left out between a and b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
