package http_test

import (
	"context"
	"errors"
	"fmt"
	nethttp "net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
)

// The length of a LoginError is bounded, however many schemes a server offers.
func TestLoginErrorIsBounded(t *testing.T) {
	s := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		var offer strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&offer, "scheme%d, ", i)
		}
		w.Header().Set("WWW-Authenticate", offer.String()+strings.Repeat("x", 5000))
		w.WriteHeader(nethttp.StatusUnauthorized)
	}))
	defer s.Close()
	f := &http.Fetcher{}
	defer f.CloseIdle()
	notes := ""
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Note: func(_ context.Context, line string) { notes += line }})
	_, err := as(ctx, t, f, s.URL, "joe", "s3cret")
	var useless *http.LoginError
	if !errors.As(err, &useless) || len(err.Error()) > 1000 || len(notes) > 1000 {
		t.Errorf("%.200v, and %d octets of notes", err, len(notes))
	}
}
