package conformance

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"net/textproto"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// requestUntouched checks that Fetch does not change its Request. The result may be an error: some
// servers refuse the request.
func requestUntouched(t *testing.T, tgt Target) {
	request := func() *fetchers.Request {
		u := *with(tgt.Document, "somebody", "secret")
		u.Fragment = "#part"
		return &fetchers.Request{
			URL:    &u,
			Range:  fetchers.Range{Offset: 1, Length: 2},
			Have:   fetchers.Validator{ETag: `"tag"`, ModTime: time.Unix(1, 0)},
			Login:  &fetchers.Credential{User: "anonymous", Password: "guest@example.org", Source: "url"},
			Header: textproto.MIMEHeader{"X-Test": {"one", "two"}},
		}
	}
	for _, describe := range []bool{false, true} {
		req, want := request(), request()
		req.Describe, want.Describe = describe, describe
		if res, err := tgt.Fetcher.Fetch(t.Context(), req); err == nil {
			io.Copy(io.Discard, res.Body)
			res.Close()
		}
		if !reflect.DeepEqual(req, want) {
			t.Errorf("the request was changed to %+v", req)
		}
	}
}

// incomplete fetches without a context, a Request or its URL.
func incomplete(t *testing.T, tgt Target) {
	var none context.Context
	for _, c := range []struct {
		name string
		ctx  context.Context
		req  *fetchers.Request
	}{
		{"no context", none, &fetchers.Request{URL: tgt.Document}},
		{"no Request", t.Context(), nil},
		{"no URL", t.Context(), new(fetchers.Request)},
	} {
		func() {
			defer func() {
				if p := recover(); p != nil {
					t.Errorf("%s: panic: %v", c.name, p)
				}
			}()
			res, err := tgt.Fetcher.Fetch(c.ctx, c.req)
			if err == nil {
				res.Close()
			}
			var about *fetchers.Error
			if !errors.As(err, &about) {
				t.Errorf("%s: the error is %v, want a *fetchers.Error", c.name, err)
			}
		}()
	}
}

func silentTrace(t *testing.T, tgt Target) {
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{})
	readAll(t, document(t, ctx, tgt), tgt.Content)
}

func missing(t *testing.T, tgt Target) {
	if tgt.Missing == nil {
		t.Skip("no Missing URL")
	}
	for _, describe := range []bool{false, true} {
		err := failure(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: tgt.Missing, Describe: describe})
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("with Describe %v the error is %v, want one that is fs.ErrNotExist", describe, err)
		}
	}
}

func strangeScheme(t *testing.T, tgt Target) {
	u := *tgt.Document
	u.Scheme = "x-strange"
	failure(t, t.Context(), tgt.Fetcher, &fetchers.Request{URL: &u})
}

// passwordHidden looks for a password in errors and in the trace, also in the
// form that HTTP sends.
func passwordHidden(t *testing.T, tgt Target) {
	const user, password = "somebody", "hunter2-s3cret"
	forms := []string{password, base64.StdEncoding.EncodeToString([]byte(user + ":" + password))}
	look := func(where, text string) {
		for _, form := range forms {
			if strings.Contains(text, form) {
				t.Errorf("the password stands in %s: %s", where, strings.ReplaceAll(text, form, "<PASSWORD>"))
			}
		}
	}
	var mu sync.Mutex
	traced := func(_ context.Context, line string) {
		mu.Lock()
		defer mu.Unlock()
		look("the trace", line)
	}
	ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{Sent: traced, Got: traced, Note: traced})

	nowhere := *tgt.Document
	nowhere.Port = 1 // a closed port
	for _, u := range []*url.URL{tgt.Document, tgt.Missing, &nowhere} {
		if u == nil {
			continue
		}
		res, err := tgt.Fetcher.Fetch(ctx, &fetchers.Request{URL: with(u, user, password)})
		if err == nil {
			_, err = io.Copy(io.Discard, res.Body)
			res.Close()
		}
		if err != nil {
			look("an error", err.Error())
		}
	}
}

// with returns a copy of u whose user has a password, if it can have one.
func with(u *url.URL, user, password string) *url.URL {
	v := *u
	if v.Slashes {
		v.User = &url.Userinfo{Name: user, Password: password, PasswordSet: true}
	}
	return &v
}
