package job

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/spelling"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Understood returns the URL of a job, or an error that proposes a URL or one of the verbs for its
// text; see proposal and unschemed.
func Understood(j Job, verbs []string) (*url.URL, error) {
	text := url.Unwrap(j.Text)
	u, err := j.Parse()
	if err != nil {
		return nil, proposal(j, text, err, verbs)
	}
	if err := unschemed(j, text, u); err != nil {
		return nil, err
	}
	return u, nil
}

// proposal returns the error for the text of a job that url.Parse refused with err. The
// error keeps the class of err, and proposes a URL or a verb that the user may have meant.
// It shows no password.
func proposal(j Job, text string, err error, verbs []string) error {
	shown, guess := url.Redact(text), "https://"+text
	authority, _, _ := strings.Cut(text, "/")
	_, nope := idn.Parse(guess)
	switch {
	case text == "":
		return explained(err, "%san empty text is no URL", j.Where)
	case text == "-":
		return explained(err, "%s- is no URL: -i - reads URLs from standard input", j.Where)
	case strings.HasPrefix(text, "//"):
		return explained(err, "%sno scheme in %q: did you mean %s ?", j.Where, shown, url.Redact("https:"+text))
	case isPath(text):
		if path, err := filepath.Abs(text); err == nil {
			guess = url.FileOf(filepath.ToSlash(path)).URL().String()
		}
		if !exists(text) { // it may be a part of a URL
			text, guess = shown, url.Redact(guess)
		}
		return explained(err, "%sno scheme in %q: did you mean %s ?", j.Where, text, guess)
	case strings.Contains(authority, "@"): // a password may stand before that
		return explained(err, "%sno scheme: did you mean %s ?", j.Where, url.Redact(guess))
	case nope == nil && !strings.Contains(text, ":"):
		for _, verb := range spelling.Near(verbs, text) {
			guess = "fetch " + verb + ", or " + guess
		}
		return explained(err, "%sno scheme in %q: did you mean %s ?", j.Where, shown, url.Redact(guess))
	}
	return fmt.Errorf("%s%w", j.Where, &fetchers.Error{Op: "parse", URL: shown, Err: err})
}

// hostAndPort matches a host with its port, which reads as a URL of an unknown scheme.
var hostAndPort = regexp.MustCompile(`^[A-Za-z0-9.-]+:[0-9]{1,5}(/|$)`)

// unschemed returns an error if the text of a job, which was read as u, is a host with its
// port rather than a URL of an unknown scheme.
func unschemed(j Job, text string, u *url.URL) error {
	if url.Describe(u.Scheme) != "" || !hostAndPort.MatchString(text) {
		return nil
	}
	return explained(fetchers.ErrUnknownScheme, "%sno scheme in %q: did you mean https://%s ?", j.Where, text, text)
}

// explained returns an error with the class of a cause and with a text of its own.
func explained(cause error, format string, args ...any) error {
	return record.Explained(fmt.Sprintf(format, args...), cause)
}

// isPath reports whether text is the name of a file, and nothing else.
func isPath(text string) bool {
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") {
		return true
	}
	return exists(text)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
