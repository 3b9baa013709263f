package stack

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A limit is a layer of its own, and -y alone is a limit of 1 byte a second.
func TestLimits(t *testing.T) {
	for args, want := range map[string]*fetchers.Limiter{
		"":                            nil,
		"-m 5":                        nil,
		"--limit-rate 1k":             {Rate: 1024, MaxListing: fetchers.DefaultMaxListing},
		"--max-filesize 1k":           {MaxSize: 1024, MaxListing: fetchers.DefaultMaxListing},
		"--max-listing 0":             {MaxListing: -1},
		"-Y 5":                        {Least: 5, MaxListing: fetchers.DefaultMaxListing},
		"-y 7":                        {Least: 1, Span: 7 * time.Second, MaxListing: fetchers.DefaultMaxListing},
		"-Y 5 -y 7 --max-listing 100": {Least: 5, Span: 7 * time.Second, MaxListing: 100},
	} {
		got, is := build(t, strings.Fields(args)...).Fetcher.(*fetchers.Limiter)
		if is != (want != nil) {
			t.Errorf("%s: a layer of limits is %v", args, is)
			continue
		}
		if is && (got.Rate != want.Rate || got.MaxSize != want.MaxSize || got.Least != want.Least || got.Span != want.Span || got.MaxListing != want.MaxListing) {
			t.Errorf("%s: the limits are %+v", args, got)
		}
	}
}

// --max-time is for one URL.
func TestTimed(t *testing.T) {
	ctx, cancel := build(t, "-m", "0.01").Timed(t.Context())
	defer cancel()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Error(ctx.Err())
	}
	ctx, cancel = build(t).Timed(t.Context())
	defer cancel()
	if _, limited := ctx.Deadline(); limited {
		t.Error("there is a limit without --max-time")
	}
}

// Every failure is repeated with --retry-all-errors but for those that no server has a part in,
// and a refused connection by --retry-connrefused, which is usual for a server that has answered.
func TestRepeatedFailures(t *testing.T) {
	refused := fetchers.Temporary(&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
	busy, missing := fetchers.Temporary(errors.New("busy")), fs.ErrNotExist
	for args, want := range map[string][]error{
		"--retry-all-errors":        {refused, busy, missing, fetchers.ErrProtocol, fetchers.ErrLogin, fetchers.TLS(record.ErrPinned), io.ErrUnexpectedEOF},
		"--retry-connrefused=false": {busy},
		"":                          {busy, refused},
	} {
		repeats := repeated(options(t, args))
		for _, err := range want {
			if !repeats(err) {
				t.Errorf("%s: %v is not repeated", args, err)
			}
		}
		own := []error{
			context.Canceled, context.DeadlineExceeded, &url.Error{}, record.UsageError{Err: busy}, record.InputError{Err: busy}, record.OutputError{Err: busy},
			fetchers.ErrBlocked, fetchers.ErrUnknownScheme, fetchers.ErrNotRetrievable, fetchers.ErrRedirect, fetchers.ErrTooLarge,
		}
		if args != "--retry-all-errors" {
			own = []error{notThere{refused}, missing}
		}
		for _, err := range own {
			if repeats(err) {
				t.Errorf("%s: %v is repeated", args, err)
			}
		}
	}
	if repeated(options(t, "--retry-connrefused")) != nil {
		t.Error("the usual failures are not repeated as usual")
	}
}
