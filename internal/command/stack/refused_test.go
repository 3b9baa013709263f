package stack

import (
	"context"
	"errors"
	"net"
	"syscall"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A refused connection is a permanent failure, unless the server has answered before in the run. A
// refused data connection of FTP is a temporary one.
func TestRefused(t *testing.T) {
	refusal := func(port int) error {
		return fetchers.Temporary(&net.OpError{Op: "dial", Addr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, Err: syscall.ECONNREFUSED})
	}
	var next error
	a := &answered{Fetcher: fetchers.FetcherFunc(func(context.Context, *fetchers.Request) (*fetchers.Resource, error) { return nil, next })}
	for _, step := range []struct {
		url      string
		err      error
		notThere bool
	}{
		{"http://h.example/a", refusal(80), true},
		{"http://h.example/a", refusal(80), true},
		{"http://h.example/a", fetchers.ErrProtocol, false},
		{"http://h.example/b", refusal(80), false},
		{"http://h.example:81/b", refusal(81), true},
		{"ftp://h.example/b", refusal(21), true},
		{"ftp://h.example/b", refusal(40_000), false},
		{"ftp://h.example/b", refusal(21), false},
	} {
		next = step.err
		_, err := a.Fetch(t.Context(), &fetchers.Request{URL: parsed(t, step.url)})
		if _, notThere := errors.AsType[notThere](err); notThere != step.notThere || !errors.Is(err, step.err) {
			t.Errorf("%s after %v: %v is of a server that is not there: %v", step.url, step.err, err, notThere)
		}
	}
}

func parsed(t *testing.T, text string) *url.URL {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return u
}
