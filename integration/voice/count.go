package main

import (
	"fmt"
	"regexp"
	"strings"
)

// A count is of the words and sentences of prose.
type count struct {
	words, what, nobody, sentences, relative int
}

var (
	word     = regexp.MustCompile(`[\pL\pN][\pL\pN'’._/-]*`)
	sentence = regexp.MustCompile(`[.:;!?](\s+|$)`)

	// A clause that stands for a noun which is not named.
	relative = regexp.MustCompile(`(?i)^(what|who|whoever|whom|whose|whatever|whichever|that which|those (that|which|who)|he who)\b`)
	nobodies = map[string]bool{"nobody": true, "somebody": true, "someone": true, "anybody": true, "everybody": true}
)

// add counts a paragraph.
func (c *count) add(paragraph string) {
	for _, w := range word.FindAllString(paragraph, -1) {
		c.words++
		switch w = strings.ToLower(w); {
		case w == "what" || w == "what's":
			c.what++
		case nobodies[w]:
			c.nobody++
		}
	}
	for _, s := range sentence.Split(paragraph, -1) {
		if s = strings.TrimLeft(s, " \t\n*_>#-|\"'`("); s == "" {
			continue
		}
		c.sentences++
		if relative.MatchString(s) && !strings.HasSuffix(strings.TrimSpace(paragraph), "?") {
			c.relative++
		}
	}
}

func (c count) plus(d count) count {
	return count{c.words + d.words, c.what + d.what, c.nobody + d.nobody, c.sentences + d.sentences, c.relative + d.relative}
}

// faults returns how many words and sentences count against the prose.
func (c count) faults() int { return c.what + c.nobody + c.relative }

// row returns a row of the table.
func (c count) row(name string) string {
	return fmt.Sprintf("%s\t%d\t%.1f\t%.1f\t%.1f\t", name, c.words, per(1000, c.what, c.words), per(1000, c.nobody, c.words), per(100, c.relative, c.sentences))
}

func per(unit float64, n, of int) float64 {
	if of == 0 {
		return 0
	}
	return unit * float64(n) / float64(of)
}
