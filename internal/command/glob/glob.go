// Package glob has the URLs that one argument stands for with --glob:
//
//	{a,b,c}    each of the words
//	[1-10]     each number; [001-100] with zeros in front, [1-10:2] each second one
//	[a-z]      each letter, which are small or large; [a-z:3] each third one
//
// The syntax and the order are those of curl: the last glob varies first. A backslash before a
// bracket or a brace makes that a character of the URL, and in a set it does so for every
// character. The brackets of an IPv6 address are no glob, and neither are [] without content.
package glob

import (
	"fmt"
	"math/bits"
)

// A Pattern is a URL with globs. Its URLs are made one at a time, so that a Pattern takes no
// more memory than its text, whatever their number.
type Pattern struct {
	parts []part
	globs int
	count int64
}

// A part is a glob or the text between two of them.
type part struct {
	words []string // of a set; one for a text
	glob  bool

	// If there are no words, the part is a range: it has size values from first on.
	first, step uint64
	size        uint64
	width       int // the least number of digits; 0 for letters
}

// Literal returns the Pattern of one URL, in which brackets and braces are characters.
func Literal(url string) *Pattern {
	return &Pattern{parts: []part{{words: []string{url}}}, count: 1}
}

// Count returns how many URLs there are, which is at least one.
func (p *Pattern) Count() int64 { return p.count }

// Globs returns how many globs there are. Without any, the one URL is the text, but for its
// backslashes before brackets and braces.
func (p *Pattern) Globs() int { return p.globs }

// At returns the URL with index i, from 0 to Count()-1, and the value of each glob in it.
func (p *Pattern) At(i int64) (text string, values []string) {
	picked := make([]string, len(p.parts))
	rest := uint64(i)
	for n := len(p.parts) - 1; n >= 0; n-- {
		size := p.parts[n].values()
		picked[n] = p.parts[n].at(rest % size)
		rest /= size
	}
	var url []byte
	values = make([]string, 0, p.globs)
	for n, value := range picked {
		url = append(url, value...)
		if p.parts[n].glob {
			values = append(values, value)
		}
	}
	return string(url), values
}

// values returns how many values the part has.
func (p part) values() uint64 {
	if p.words != nil {
		return uint64(len(p.words))
	}
	return p.size
}

// at returns the value with index i.
func (p part) at(i uint64) string {
	switch n := p.first + i*p.step; {
	case p.words != nil:
		return p.words[i]
	case p.width == 0:
		return string(rune(n))
	default:
		return fmt.Sprintf("%0*d", p.width, n)
	}
}

// add appends a part, and reports whether the number of URLs can still be counted.
func (p *Pattern) add(one part) bool {
	p.parts = append(p.parts, one)
	if one.glob {
		p.globs++
	}
	high, low := bits.Mul64(uint64(p.count), one.values())
	p.count = int64(low)
	return high == 0 && p.count > 0
}
