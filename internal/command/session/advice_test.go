package session

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

func service(t *testing.T, text string, hint fetchers.SessionHint) *fetchers.Resource {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &fetchers.Resource{URL: u, Kind: fetchers.Session, Session: &hint}
}

// The advice names the service and the commands that open it, and has a password only if
// the user asked for it.
func TestAdvice(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	const text = "telnet://joe:s3cret@h.dom/"
	hint := fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: fetchers.Credential{User: "joe", Password: "s3cret"}}
	for _, c := range []struct {
		name  string
		o     option.Session
		url   string
		hint  fetchers.SessionHint
		said  string
		hints []string
	}{
		{"a password", option.Session{}, text, hint, `where to log in as "joe" with a password that --show-password says`,
			[]string{"to open it: fetch --connect telnet://joe@h.dom/", "or: telnet -l joe h.dom 23 (which is not installed here)"}},
		{"a password that is wanted", option.Session{ShowPassword: true, Connect: true}, text, hint, `where to log in as "joe" with the password "s3cret"`,
			[]string{"to open it: telnet -l joe h.dom 23 (which is not installed here)"}},
		{"a user", option.Session{}, "tn3270://joe@h.dom/", fetchers.SessionHint{Service: "tn3270", Addr: "h.dom:23", Login: fetchers.Credential{User: "joe"}},
			`an interactive tn3270 service at h.dom:23, where to log in as "joe"`, []string{"to open it: c3270 h.dom:23 (which is not installed here)"}},
		{"an unknown service", option.Session{}, "gopher://g.dom/8x", fetchers.SessionHint{Service: "other", Addr: "h.dom:1"},
			"an interactive other service at h.dom:1", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := Advice(c.o, service(t, c.url, c.hint))
			hinted, _ := errors.AsType[term.Hinted](err)
			if !errors.Is(err, fetchers.ErrNotRetrievable) || !strings.HasSuffix(err.Error(), c.said) || !slices.Equal(hinted.Hints, c.hints) {
				t.Errorf("%v; hints %q, want %q", err, hinted.Hints, c.hints)
			}
		})
	}
}

// A record and the facts of a service have its password only if the user asked for it.
func TestRecord(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	hint := &fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Login: fetchers.Credential{User: "joe", Password: "s3cret"}}
	for _, c := range []struct {
		hint  *fetchers.SessionHint
		show  bool
		json  string
		facts string
	}{
		{hint, false, `{"service":"telnet","address":"h.dom:23","user":"joe","password_set":true,"password":null,"command":"telnet -l joe h.dom 23"}`,
			"service|telnet|address|h.dom:23|user|joe|password|*** (--show-password)|command|telnet -l joe h.dom 23"},
		{hint, true, `{"service":"telnet","address":"h.dom:23","user":"joe","password_set":true,"password":"s3cret","command":"telnet -l joe h.dom 23"}`,
			"service|telnet|address|h.dom:23|user|joe|password|s3cret|command|telnet -l joe h.dom 23"},
		{&fetchers.SessionHint{Service: "other", Addr: "h.dom:1"}, true, `{"service":"other","address":"h.dom:1","user":null,"password_set":false,"password":null,"command":null}`,
			"service|other|address|h.dom:1|user||password||command|"},
	} {
		text, err := record.Marshal(Record(c.hint, c.show))
		if facts := strings.Join(Facts(c.hint, c.show), "|"); err != nil || string(text) != c.json || facts != c.facts {
			t.Errorf("%+v, show %v: %s, %v; %s", c.hint, c.show, text, err, facts)
		}
	}
}

// Without a terminal a session is not opened, and the service is not dialed.
func TestConnectWithoutTerminal(t *testing.T) {
	res := service(t, "telnet://h.dom/", fetchers.SessionHint{Service: "telnet", Addr: "h.dom:23", Dial: func(context.Context) (io.ReadWriteCloser, error) {
		t.Error("the service is dialed")
		return nil, io.EOF
	}})
	err := Connect(t.Context(), nil, option.Session{Connect: true}, term.New(strings.NewReader(""), io.Discard, io.Discard), res)
	if _, usage := errors.AsType[record.UsageError](err); !usage {
		t.Errorf("%v, want a record.UsageError", err)
	}
}
