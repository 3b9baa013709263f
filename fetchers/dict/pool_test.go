package dict_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
	"github.com/seed1ea3422f/fetch/integration/dicttest"
)

// One connection serves several words, and errors between them.
func TestConnectionIsKept(t *testing.T) {
	server := dicttest.New(t, files)
	f := new(dict.Fetcher)
	defer f.CloseIdle()
	for range 5 {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/d:gold:wn")})
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(res.Body); err != nil || !bytes.HasSuffix(text, []byte(gold)) {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		res.Close()
		if _, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/d:lead:wn")}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v, want ErrNotExist", err)
		}
	}
	if server.Connections() != 1 || len(server.Requests()) != 11 {
		t.Errorf("%d connections, %q", server.Connections(), server.Transcript())
	}
}

// The proof of AUTH is masked everywhere, and a URL from a stranger causes no login.
func TestProofIsMasked(t *testing.T) {
	server := dicttest.New(t, files, dicttest.User("joe", "secret"), dicttest.Private("wn"))
	u := parse(t, "dict://joe;AUTH:secret@"+server.Addr+"/d:gold:wn")
	for named, want := range map[fetchers.Namer]error{fetchers.ByUser: nil, fetchers.ByStranger: fs.ErrNotExist} {
		var mu sync.Mutex
		var told strings.Builder
		note := func(p []byte) {
			mu.Lock()
			defer mu.Unlock()
			told.Write(p)
		}
		ctx := fetchers.WithTrace(t.Context(), &fetchers.Trace{
			Sent: func(_ context.Context, line string) { note([]byte(line + "\n")) },
			Tap: func(context.Context, string, string) *fetchers.Tap {
				return &fetchers.Tap{Sent: note, Got: note, Ended: func(error) {}}
			},
		})
		f := new(dict.Fetcher)
		res, err := f.Fetch(ctx, &fetchers.Request{URL: u, Named: named})
		res.Close()
		f.CloseIdle()
		if !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
		if text := told.String(); regexp.MustCompile("[0-9a-f]{32}").MatchString(text) || strings.Contains(text, "AUTH joe ***") != (named == fetchers.ByUser) {
			t.Errorf("told %q", text)
		}
	}
}

// A server that refuses a further connection is used on an existing one.
func TestCrowd(t *testing.T) {
	server := dicttest.New(t, files, dicttest.MaxConnections(2))
	f := new(dict.Fetcher)
	defer f.CloseIdle()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/d:gold:wn")})
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Close()
			if _, err := io.Copy(io.Discard, res.Body); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}
