package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// followFlags say where redirections may lead.
type followFlags struct {
	location   bool
	maxRedirs  int
	proto      []string
	protoRedir []string
}

func (f *followFlags) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.location, "location", "L", true, "follow redirections; this is how it is")
	flags.IntVar(&f.maxRedirs, "max-redirs", 10, "follow at most `N` redirections; 0 keeps the first one")
	flags.StringSliceVar(&f.proto, "proto", nil, "fetch from these schemes only, such as http,https")
	flags.StringSliceVar(&f.protoRedir, "proto-redir", nil, "follow redirections to these schemes only")
}

// policy returns what decides about redirections.
func (f *followFlags) policy() func(context.Context, []*url.URL, *url.URL) error {
	usual := fetchers.FollowUpTo(f.maxRedirs)
	return func(ctx context.Context, via []*url.URL, to *url.URL) error {
		switch {
		case f.maxRedirs == 0, !f.location:
			return fetchers.ErrKeepRedirect
		case len(f.protoRedir) == 0:
			return usual(ctx, via, to)
		case !slices.Contains(f.protoRedir, to.Scheme) || to.Scheme == "file":
			return fmt.Errorf("%w: to %s, and --proto-redir is %s", fetchers.ErrRedirect, to.Redacted(), strings.Join(f.protoRedir, ","))
		case len(via) > f.maxRedirs:
			return usual(ctx, via, to)
		}
		return nil
	}
}

// allows returns an error if the user did not want u's scheme.
func (f *followFlags) allows(u *url.URL) error {
	if len(f.proto) == 0 || slices.Contains(f.proto, u.Scheme) {
		return nil
	}
	return fmt.Errorf("%s: %w: --proto is %s", u.Redacted(), fetchers.ErrUnknownScheme, strings.Join(f.proto, ","))
}
