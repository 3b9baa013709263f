package manual

import (
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// A Completion is the set of words that can follow on a command line. A Completion without words,
// files and directories proposes nothing.
type Completion struct {
	Words      []string
	Unfinished bool // more text follows a word, without a space
	Files      bool // the shell proposes the names of files
	Dirs       bool // the shell proposes the names of directories
}

// CompleteValue returns the completions of the value of a flag, of which the user has typed the
// beginning. The fields Complete and Value in the row of the flag determine them. schemes are the
// schemes of URLs that can be fetched.
func CompleteValue(f option.Flag, typed string, schemes []string) Completion {
	words := f.Words()
	switch {
	case f.Complete == option.SchemeNames:
		return completeSchemes(typed, schemes)
	case f.Complete != "":
		return beginnings(typed, strings.Fields(f.Complete))
	case words != nil:
		return Completion{Words: words}
	}
	for kind := range strings.SplitSeq(f.Value, "|") {
		switch kind {
		case "FILE":
			return Completion{Files: true}
		case "DIR":
			return Completion{Dirs: true}
		case "URL":
			return CompleteURL(typed, schemes)
		}
	}
	return Completion{}
}

// CompleteURL returns the completions of the scheme of a URL, of which the user has typed the
// beginning.
func CompleteURL(typed string, schemes []string) Completion {
	return beginnings(typed, urlBeginnings(schemes))
}

// completeSchemes completes the last of a list of schemes.
func completeSchemes(typed string, schemes []string) Completion {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var words []string
	for _, beginning := range urlBeginnings(schemes) {
		scheme, _, _ := strings.Cut(beginning, ":")
		words = append(words, before+scheme)
	}
	return beginnings(typed, words)
}

// beginnings returns the words that begin with the typed text, and that more text has to follow.
func beginnings(typed string, words []string) Completion {
	found := slices.DeleteFunc(words, func(w string) bool { return !strings.HasPrefix(w, typed) })
	return Completion{Words: found, Unfinished: len(found) > 0}
}

// urlBeginnings returns the schemes of URLs that can be fetched, each with the octets that
// follow it in every URL.
func urlBeginnings(schemes []string) (words []string) {
	for _, scheme := range schemes {
		switch _, err := url.Parse(scheme + ":x"); {
		case url.Reserved(scheme):
		case err != nil:
			words = append(words, scheme+"://")
		default:
			words = append(words, scheme+":")
		}
	}
	return words
}
