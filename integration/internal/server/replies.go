package server

import "strings"

// Replies are answers that a test has written in advance, to requests R.
type Replies[R any] []reply[R]

type reply[R any] struct {
	prefix string // of the command line
	text   func(R) (string, bool)
}

// Add adds an answer to every command line that begins with prefix.
func (r *Replies[R]) Add(prefix, text string) {
	r.AddFunc(prefix, func(R) (string, bool) { return text, true })
}

// AddFunc adds a function that answers command lines that begin with prefix, or reports false, and
// then another one answers them.
func (r *Replies[R]) AddFunc(prefix string, text func(R) (string, bool)) {
	*r = append(*r, reply[R]{prefix, text})
}

// To returns the first answer that fits a command line.
func (r Replies[R]) To(line string, request R) (text string, ok bool) {
	for _, reply := range r {
		if strings.HasPrefix(line, reply.prefix) {
			if text, ok = reply.text(request); ok {
				return text, true
			}
		}
	}
	return "", false
}

// UpperVerb returns a command line with its command in upper case.
func UpperVerb(line string) string {
	verb, _, _ := strings.Cut(line, " ")
	return strings.ToUpper(verb) + line[len(verb):]
}
