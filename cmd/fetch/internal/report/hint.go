package report

import (
	"errors"
	"slices"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// Hint tells the user how to ask an index, after its page was written. It does nothing for
// another Resource.
func Hint(s *term.Streams, res *fetchers.Resource) {
	if res.Kind == fetchers.Index {
		s.Say("fetch: %s: a searchable index: ask it by %s", res.URL.Redacted(), res.Query("words").Redacted())
	}
}

// NotFollowed tells the user where a redirection leads that was not followed. It does nothing for
// another Resource.
func NotFollowed(s *term.Streams, res *fetchers.Resource) {
	switch {
	case res.Location != nil:
		s.Say("fetch: %s: leads to %s, and that was not followed", res.URL.Redacted(), res.Location.Redacted())
	case res.Kind == fetchers.Redirect:
		s.Say("fetch: %s: %d %s, which leads nowhere", res.URL.Redacted(), res.Reply.Code, res.Reply.Text)
	}
}

// Advised adds the next step for the user to the failure of fetching u, where the command
// has a flag for that.
func Advised(u *url.URL, err error) error {
	var useless *http.LoginError
	switch {
	case errors.As(err, &useless) && slices.Contains(useless.Offered, "ntlm"):
		return term.WithHints(err, "to log in by NTLM all the same: --ntlm")
	case errors.Is(err, fetchers.ErrNotRetrievable) && u.Scheme == "urn":
		return term.WithHints(err, "to say where such names lead: --urn 'NAMESPACE=https://…{nss}'")
	case errors.Is(err, fetchers.ErrBlocked):
		if url.Interactive(u.Scheme) {
			return term.WithHints(err, "to open it at a terminal all the same: --connect")
		}
	}
	return err
}
