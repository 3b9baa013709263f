package z3950_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
)

func TestLogin(t *testing.T) {
	server := serve(t, z3950test.User("joe", "s3cret"))
	u := record(t, server, "/garden?bees.mrc")
	f := new(z3950.Fetcher)
	defer f.CloseIdle()
	for _, c := range []struct {
		req *fetchers.Request
		ok  bool
	}{
		{&fetchers.Request{URL: u}, false},
		{&fetchers.Request{URL: u, Login: &fetchers.Credential{User: "joe", Password: "wrong"}}, false},
		{&fetchers.Request{URL: u, Login: &fetchers.Credential{User: "joe", Password: "s3cret"}}, true},
		{&fetchers.Request{URL: u}, false}, // only joe may use his session
		{&fetchers.Request{URL: parse(t, "z39.50r://joe:s3cret@"+server.Addr+"/garden?bees.mrc")}, true},
		{&fetchers.Request{URL: parse(t, "z39.50r://joe:s3cret@"+server.Addr+"/garden?bees.mrc"), Named: fetchers.ByStranger}, false},
	} {
		res, err := f.Fetch(t.Context(), c.req)
		if err == nil {
			res.Close()
		}
		if c.ok != (err == nil) || err != nil && !errors.Is(err, fetchers.ErrLogin) {
			t.Errorf("%+v: %v", c.req, err)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("the password is in %v", err)
		}
	}
	for _, r := range server.Requests() {
		if r.User == "" && r.Password != "" {
			t.Errorf("%+v", r)
		}
	}
}

// A user without a password is sent as the string "open".
func TestOpen(t *testing.T) {
	server := serve(t, z3950test.User("token", ""))
	if _, _, err := get(t, new(z3950.Fetcher), parse(t, "z39.50r://token@"+server.Addr+"/garden?bees.mrc")); err != nil {
		t.Error(err)
	}
}

// A Trace shows the conversation, and the password appears neither in the Trace nor in the Tap.
func TestTrace(t *testing.T) {
	server := serve(t, z3950test.User("joe", "s3cret"))
	var told []string
	var octets []byte
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
		Sent: func(_ context.Context, line string) { told = append(told, "> "+line) },
		Got:  func(_ context.Context, line string) { told = append(told, "< "+line) },
		Tap: func(context.Context, string, string) *fetchers.Tap {
			return &fetchers.Tap{Sent: func(p []byte) { octets = append(octets, p...) }, Got: func(p []byte) { octets = append(octets, p...) }}
		},
	})
	f := new(z3950.Fetcher)
	defer f.CloseIdle()
	res, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, "z39.50r://joe:s3cret@"+server.Addr+"/garden?bees.mrc")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	want := []string{
		"> Init: versions 1 to 3, search, present, user joe, password ***",
		"< InitResponse: accepted true, version 3, messages of up to 1048576 bytes, z3950test 1",
		`> Search garden: @attr 1=1032 @attr 4=104 "bees.mrc", and usmarc, elements F`,
		"< SearchResponse: 1 records match",
		"< a record: usmarc, 120 bytes",
	}
	if !slices.Equal(told, want) {
		t.Errorf("%q", told)
	}
	if strings.Contains(string(octets), "s3cret") || !strings.Contains(string(octets), "***\x9Fn\x05fetch") || !strings.Contains(string(octets), "Georgics") {
		t.Errorf("the tap: %q", octets)
	}
}
