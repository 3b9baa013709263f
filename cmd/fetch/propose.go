package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	case strings.HasPrefix(text, "//"):
		return fmt.Errorf("%sno scheme in %q: did you mean %s ?%w", j.where, shown, url.Redact("https:"+text), silent{err})
	case isPath(text):
		if path, err := filepath.Abs(text); err == nil {
			guess = url.File{Path: "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")}.URL().String()
		}
		if !exists(text) { // it may be a part of a URL
			text, guess = shown, url.Redact(guess)
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
	return exists(text)
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

// nearest returns that of the names which is most like the given one, or "" if none is.
func nearest(names []string, name string) string {
	best, least := "", 1+len(name)/2
	for _, n := range names {
		if d := distance(n, name); d < least {
			best, least = n, d
		}
	}
	return best
}

// didYouMean proposes a name, in a format for it, if there is one.
func didYouMean(format, name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean "+format+" ?", name)
}

// distance is how many letters have to be changed, added or left out between a and b.
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

// badFlag is the error for flags of c that cannot be read.
func badFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := nearest(names, unknown.GetSpecifiedName()); name != "" {
			text := loginless(err.Error(), unknown.GetSpecifiedName())
			return usageError{fmt.Errorf("%s%s", text, didYouMean("--%s", name))}
		}
	}
	text := err.Error()
	var invalid *pflag.InvalidValueError
	var malformed *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &invalid): // its own text quotes the value again
		text = shownFlag(c.Flags(), invalid.GetFlag().Name) + ": " + invalid.Unwrap().Error()
		text = loginless(text, strconv.Quote(invalid.GetValue()))
	case errors.As(err, &malformed):
		text = loginless(text, malformed.GetSpecifiedFlag())
	case unknown != nil:
		text = loginless(text, cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()))
	}
	return usageError{fmt.Errorf("%s; try %s --help", text, c.CommandPath())}
}

// loginless returns text with a password in value, a part of text, masked. For a mistyped
// flag value may be NAME:PASSWORD, so the text after a colon is a password, unless only
// digits are before it.
func loginless(text, value string) string {
	name, password, found := strings.Cut(value, ":")
	if !found || strings.Trim(name, `"0123456789`) == "" || strings.HasPrefix(password, "//") {
		return strings.ReplaceAll(text, value, url.Redact(value))
	}
	return strings.ReplaceAll(text, value, name+":***")
}
