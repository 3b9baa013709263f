package report

import (
	"errors"
	"slices"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/glob"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Hint tells the user how to search an index, after its page was written. It does nothing for
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

// Advised adds a hint about the next step to the failure of fetching u, if the command has a flag
// for that.
func Advised(u *url.URL, err error) error {
	var useless *http.LoginError
	var key *sftp.HostKeyError
	switch {
	case errors.As(err, &key) && key.Changed():
		return term.WithHints(err, "if the server has a new key, take the old one out: ssh-keygen -R '"+key.Host+"'")
	case errors.As(err, &key) && !key.Revoked && key.Expected == "":
		return term.WithHints(err, "to trust it, if its administrator has told you that key: --accept-new-host-key")
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

// Unexpanded adds the hint about --glob to the failure of a job, if the user has typed its URL
// with brackets or braces, which were taken literally, and there is no such resource or host.
func Unexpanded(j job.Job, in option.Input, err error) error {
	if err == nil || in.Glob || j.Where != "" {
		return err
	}
	class, _ := record.Classify(err)
	missing := class == record.ClassNotFound || class == record.ClassResolve || class == record.ClassMalformedURL
	if p, fault := glob.Parse(j.Text); !missing || fault == nil && p.Globs() == 0 {
		return err
	}
	return term.WithHints(err, "brackets are taken literally; --glob expands them")
}
