package server

import "strings"

// Replies are answers that a test has written in advance.
type Replies []reply

type reply struct {
	prefix string // of the command line
	text   string
}

// Add adds an answer to every command line that begins with prefix.
func (r *Replies) Add(prefix, text string) { *r = append(*r, reply{prefix, text}) }

// To returns the first answer that fits a command line.
func (r Replies) To(line string) (text string, ok bool) {
	for _, reply := range r {
		if strings.HasPrefix(line, reply.prefix) {
			return reply.text, true
		}
	}
	return "", false
}

// UpperVerb returns a command line with its command in upper case.
func UpperVerb(line string) string {
	verb, _, _ := strings.Cut(line, " ")
	return strings.ToUpper(verb) + line[len(verb):]
}
