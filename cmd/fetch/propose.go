package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// proposal is the error for a text that is no URL, which err says, with what may have
// been meant.
func proposal(j job, text string, err error) error {
	shown, guess := url.Redact(text), "https://"+text
	authority, _, _ := strings.Cut(text, "/")
	_, nope := url.Parse(guess)
	switch {
	case text == "":
		return fmt.Errorf("%san empty text is no URL%w", j.where, silent{err})
	case text == "-":
		return fmt.Errorf("%s- is no URL: -i - reads URLs from standard input%w", j.where, silent{err})
	case isPath(text):
		if path, err := filepath.Abs(text); err == nil {
			guess = url.File{Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}.URL().String()
		}
		return fmt.Errorf("%sno scheme in %q: did you mean %s ?%w", j.where, text, guess, silent{err})
	case strings.Contains(authority, "@"): // what stands before that may be a password
		return fmt.Errorf("%sno scheme: did you mean %s ?%w", j.where, url.Redact(guess), silent{err})
	case nope == nil && !strings.Contains(text, ":"):
		for _, command := range new(app).command().SuggestionsFor(text) {
			guess = "fetch " + command + ", or " + guess
		}
		return fmt.Errorf("%sno scheme in %q: did you mean %s ?%w", j.where, shown, url.Redact(guess), silent{err})
	}
	return fmt.Errorf("%s%w", j.where, &fetchers.Error{Op: "parse", URL: shown, Err: err})
}

// isPath reports whether text is the name of a file, and nothing else.
func isPath(text string) bool {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return true
	}
	_, err := os.Lstat(text)
	return err == nil
}

// hostAndPort matches what is a URL of an unknown scheme, and hardly meant as one.
var hostAndPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]{1,5}(/|$)`)

// unschemed returns an error if text, which was read as u, is a host with its port.
func unschemed(j job, text string, u *url.URL) error {
	if url.Describe(u.Scheme) != "" || !hostAndPort.MatchString(text) {
		return nil
	}
	return fmt.Errorf("%sno scheme in %q: did you mean https://%s ?%w", j.where, text, text, silent{fetchers.ErrUnknownScheme})
}
