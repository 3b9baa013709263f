package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// followFlags say where redirections may lead.
type followFlags struct {
	location   bool
	maxRedirs  int
	proto      schemeList
	protoRedir schemeList
}

func (f *followFlags) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.location, "location", "L", true, "follow redirections")
	f.maxRedirs = 10
	flags.Var(atLeast(0, &f.maxRedirs), "max-redirs", "follow at most `N` redirections; 0 keeps the first one")
	flags.Var(&f.proto, "proto", "fetch from the schemes in `LIST` only, as http,https; +ftp adds one, -ftp removes it")
	flags.Var(&f.protoRedir, "proto-redir", "follow redirections to the schemes in `LIST` only, which is as for --proto")
}

// policy returns what decides about redirections. If secure, they lead only to where TLS
// can be had.
func (f *followFlags) policy(secure bool) func(context.Context, []*url.URL, *url.URL) error {
	usual := fetchers.FollowUpTo(f.maxRedirs)
	return func(ctx context.Context, via []*url.URL, to *url.URL) error {
		allowed, said := f.protoRedir.allows(to.Scheme)
		switch {
		case f.maxRedirs == 0, !f.location:
			return fetchers.ErrKeepRedirect
		case f.allows(to) != nil:
			return fmt.Errorf("%w: to %s, and --proto is %s", fetchers.ErrRedirect, to.Redacted(), &f.proto)
		case secure && !among(encrypted, to.Scheme):
			return fmt.Errorf("%w: to %s, and --ssl-reqd wants TLS", fetchers.ErrRedirect, to.Redacted())
		case !said:
			return usual(ctx, via, to)
		case !allowed || to.Scheme == "file":
			return fmt.Errorf("%w: to %s, and --proto-redir is %s", fetchers.ErrRedirect, to.Redacted(), &f.protoRedir)
		case len(via) > f.maxRedirs:
			return usual(ctx, via, to)
		}
		return nil
	}
}

// tellKept says where a redirection leads that was not followed.
func (a *app) tellKept(res *fetchers.Resource) {
	if res.Location != nil {
		a.say("fetch: %s: leads to %s, and that was not followed", res.URL.Redacted(), res.Location.Redacted())
	}
}

// allows returns an error if the user did not want u's scheme.
func (f *followFlags) allows(u *url.URL) error {
	if allowed, said := f.proto.allows(u.Scheme); allowed || !said {
		return nil
	}
	return fmt.Errorf("%s: %s is not allowed: --proto is %s%w", u.Redacted(), u.Scheme, &f.proto, silent{fetchers.ErrUnknownScheme})
}

// A schemeList is a flag's list of schemes, which is read as curl does: "=" before one
// is for that one only, "+" adds one and "-" takes one away, and all is every scheme.
// But a list that begins with none of them is of those that it names.
type schemeList struct {
	text   string
	listed map[string]bool
	others *bool // nil if those that are not listed are as usual
}

func (l *schemeList) String() string { return l.text }

func (l *schemeList) Type() string { return "list" }

func (l *schemeList) Set(text string) error {
	*l = schemeList{text: text, listed: make(map[string]bool)}
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
		name := strings.TrimLeft(word, "=+-")
		sign := strings.TrimSuffix(word, name)
		allowed := sign != "-"
		switch {
		case sign == "=", sign == "" && l.others == nil && len(l.listed) == 0:
			l.listed, l.others = map[string]bool{name: true}, new(bool)
		default:
			l.listed[name] = allowed
		}
		switch {
		case name == "all":
			l.listed, l.others = make(map[string]bool), &allowed
		case url.Describe(name) == "" || len(sign) > 1:
			return fmt.Errorf("no scheme %q: fetch schemes lists them", url.Redact(word))
		}
	}
	return nil
}

// allows reports whether a scheme is allowed, if that is said.
func (l *schemeList) allows(scheme string) (allowed, said bool) {
	if allowed, said = l.listed[scheme]; !said && l.others != nil {
		return *l.others, true
	}
	return allowed, said
}
