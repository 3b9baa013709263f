package stack

import (
	"context"
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// followPolicy returns the rule for redirections. If secure, they lead only to schemes with TLS.
func followPolicy(o *option.Follow, secure bool) func(context.Context, []*url.URL, *fetchers.Resource) error {
	usual := fetchers.FollowUpTo(o.MaxRedirs)
	return func(ctx context.Context, via []*url.URL, res *fetchers.Resource) error {
		to := res.Location
		allowed, said := o.ProtoRedir.Allows(to.Scheme)
		switch {
		case !res.Upgrade && keepsRedirects(o):
			return fetchers.ErrKeepRedirect
		case forbids(o, to):
			return fmt.Errorf("%w: to %s, and --proto is %s", fetchers.ErrRedirect, to.Redacted(), &o.Proto)
		case secure && !option.In(option.Encrypted, to.Scheme):
			return fmt.Errorf("%w: to %s, and --ssl-reqd wants TLS", fetchers.ErrRedirect, to.Redacted())
		case !said || res.Upgrade:
			return usual(ctx, via, res)
		case !allowed || url.Local(to.Scheme):
			return fmt.Errorf("%w: to %s, and --proto-redir is %s", fetchers.ErrRedirect, to.Redacted(), &o.ProtoRedir)
		case len(via) > o.MaxRedirs:
			return usual(ctx, via, res)
		}
		return nil
	}
}

// keepsRedirects reports whether a redirection is the result of a fetch.
func keepsRedirects(o *option.Follow) bool {
	return o.MaxRedirs == 0 || !o.Location && !o.Trusted
}

// forbids reports whether --proto leaves out the scheme of u.
func forbids(o *option.Follow, u *url.URL) bool {
	allowed, said := o.Proto.Allows(u.Scheme)
	return said && !allowed
}

// CheckProto returns an error if --proto leaves out the scheme of u.
func (st *Stack) CheckProto(u *url.URL) error {
	follow := &st.options.Follow
	if !forbids(follow, u) {
		return nil
	}
	text := fmt.Sprintf("%s: %s is not allowed: --proto is %s", u.Redacted(), u.Scheme, &follow.Proto)
	return record.Explained(text, fetchers.ErrUnknownScheme)
}
