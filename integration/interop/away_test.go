package interop

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A server in front of another whose other is away answers 503, which is temporary.
func TestHTTPBackendAway(t *testing.T) {
	forEach(t, []string{"haproxy", "varnish", "hitch"}, func(t *testing.T, server servers.Instance) {
		_, err := newClient(t).Get(t.Context(), server.URL+"/away/hello.txt")
		var status *fetchers.StatusError
		if !errors.Is(err, fetchers.ErrTemporary) || !errors.As(err, &status) || status.Reply.Code != 503 {
			t.Errorf("%v, want ErrTemporary with the status 503", err)
		}
	})
}
