package session

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// open returns the hint that dials the service of res, which is a Session. If the hint is
// by a protocol of menus, f asks the protocol of the service for another one. If no
// protocol can dial the service, the error is that of Advice.
func open(ctx context.Context, f fetchers.Fetcher, o option.Session, res *fetchers.Resource) (*fetchers.SessionHint, error) {
	hint := res.Session
	if hint.Dial == nil && hint.Service == "telnet" && res.URL.Scheme != hint.Service {
		u, err := url.Parse("telnet://" + hint.Addr + "/")
		if err != nil {
			return nil, err
		}
		other, err := f.Fetch(ctx, &fetchers.Request{URL: u, Login: &hint.Login})
		if err != nil {
			return nil, err
		}
		other.Close()
		hint = other.Session
	}
	if hint == nil || hint.Dial == nil {
		return nil, Advice(o, res)
	}
	return hint, nil
}
