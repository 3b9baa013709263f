package session

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url"
)

// A hint that another protocol gave is opened by the protocol of the service.
func TestOpen(t *testing.T) {
	client := &fetchers.Client{Fetcher: fetch.Protocols(nil)}
	menu, err := url.Parse("gopher://g.dom/8login")
	if err != nil {
		t.Fatal(err)
	}
	from := func(hint *fetchers.SessionHint) *fetchers.Resource {
		return &fetchers.Resource{URL: menu, Kind: fetchers.Session, Session: hint}
	}
	hint, err := open(t.Context(), client, option.Session{}, from(&fetchers.SessionHint{Service: "telnet", Addr: "h.dom:2323", Login: fetchers.Credential{User: "login"}}))
	if err != nil || hint.Dial == nil || hint.Addr != "h.dom:2323" || hint.Login.User != "login" {
		t.Errorf("%+v, %v", hint, err)
	}
	if _, err := open(t.Context(), client, option.Session{}, from(&fetchers.SessionHint{Service: "telnet", Addr: "h.dom:25"})); !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("at the port of mail: %v, want ErrBlocked", err)
	}
	for _, service := range []string{"tn3270", "cso", "other"} {
		if _, err := open(t.Context(), client, option.Session{}, from(&fetchers.SessionHint{Service: service, Addr: "h.dom:23"})); !errors.Is(err, fetchers.ErrNotRetrievable) {
			t.Errorf("%s: %v, want ErrNotRetrievable", service, err)
		}
	}
}
