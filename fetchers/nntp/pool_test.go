package nntp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
)

// many is a group of 200 articles.
var many = func() fstest.MapFS {
	files := make(fstest.MapFS)
	for i := 1; i <= 200; i++ {
		files[fmt.Sprintf("test.many/%d", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "Subject: %d\nMessage-ID: <%d@x.dom>\n\nnumber %d\n", i, i, i)}
	}
	return files
}()

func count(lines []string, prefix string) (n int) {
	for _, l := range lines {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// One connection serves successive articles, and GROUP is sent once.
func TestConnectionIsKept(t *testing.T) {
	server := nntptest.NewServer(many)
	defer server.Close()
	f := new(nntp.Fetcher)
	for i := 1; i <= 20; i++ {
		if got, err := get(t, f, fmt.Sprintf("%s/test.many/%d", server.URL, i)); err != nil || !bytes.Contains(got, fmt.Appendf(nil, "number %d\r\n", i)) {
			t.Fatalf("%d: %q, %v", i, got, err)
		}
	}
	f.CloseIdle()
	want := []string{"MODE READER", "GROUP test.many", "ARTICLE 1", "ARTICLE 2"}
	if got := server.Transcript(); server.Connections() != 1 || count(got, "GROUP") != 1 || !slices.Equal(got[:4], want) {
		t.Errorf("%d connections, %q", server.Connections(), got)
	}
}

// After a refusal the connection is kept for one other fetch, and not for two at once.
func TestConnectionIsKeptOnce(t *testing.T) {
	server := nntptest.NewServer(many)
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	for _, path := range []string{"/test.many/900", "/test.many/300-400", "/test.nope", "/test.many/900-901", "/test.many/7"} {
		if _, err := get(t, f, server.URL+path); (err == nil) != (path == "/test.many/7") || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	var open []*fetchers.Resource
	for i := range 3 {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/test.many/1-200")})
		if err != nil {
			t.Fatal(i, err)
		}
		open = append(open, res)
	}
	if n := server.Connections(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
	for _, res := range open {
		if n, err := io.Copy(io.Discard, res.Body); n < 5000 || err != nil {
			t.Errorf("%d bytes, %v", n, err)
		}
		res.Close()
	}
}

// A fetch with a done context fails, and uses no kept connection.
func TestKeptConnectionAndDoneContext(t *testing.T) {
	server := nntptest.NewServer(many)
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	if _, err := get(t, f, server.URL+"/test.many/1"); err != nil {
		t.Fatal(err)
	}
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		res, err := f.Fetch(done, &fetchers.Request{URL: parse(t, server.URL+"/test.many/2")})
		if err == nil {
			res.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("error %v, want canceled", err)
		}
	}
	if _, err := get(t, f, server.URL+"/test.many/3"); err != nil || server.Connections() != 1 {
		t.Errorf("%d connections, want 1; %v", server.Connections(), err)
	}
}

// A connection is kept for the same login only.
func TestConnectionPerLogin(t *testing.T) {
	server := nntptest.NewServer(many, nntptest.User("joe", "a"), nntptest.User("ann", "b"), nntptest.Private("*"))
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	for range 2 {
		for user, ok := range map[string]bool{"joe:a": true, "ann:b": true, "ann:wrong": false, "joe": false} {
			_, err := get(t, f, strings.Replace(server.URL, "//", "//"+user+"@", 1)+"/test.many/1")
			if ok && err != nil || !ok && !errors.Is(err, fetchers.ErrLogin) {
				t.Errorf("%s: %v", user, err)
			}
		}
	}
	if n := server.Logins(); n != 2 {
		t.Errorf("%d logins, want 2", n)
	}
}

// A kept connection that the server has closed is replaced.
func TestKeptConnectionIsGone(t *testing.T) {
	server := nntptest.NewServer(many, nntptest.Faults(nntptest.Fault{After: 0, Do: nntptest.Cut, Command: "HEAD", Once: true}))
	f := new(nntp.Fetcher)
	if _, err := get(t, f, server.URL+"/test.many/1"); err != nil {
		t.Fatal(err)
	}
	// The second exchange, on the kept connection, is truncated.
	req := &fetchers.Request{URL: parse(t, server.URL+"/test.many/2"), Describe: true}
	res, err := f.Fetch(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	if n := server.Connections(); n != 2 {
		t.Errorf("%d connections, want another in place of the first", n)
	}
	f.CloseIdle()
	server.Close()
}

// A server that allows two connections gets no more, however many fetches run at once, and no fetch
// fails.
func TestServerLimitsConnections(t *testing.T) {
	server := nntptest.NewServer(many, nntptest.MaxConnections(2))
	defer server.Close()
	f := new(nntp.Fetcher)
	defer f.CloseIdle()
	// The first two fetches hold a connection each before the others begin.
	var held []*fetchers.Resource
	for i := 1; i <= 2; i++ {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/test.many/1-200")})
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, res)
	}
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if _, err := get(t, f, fmt.Sprintf("%s/test.many/%d", server.URL, i+1)); err != nil {
				t.Error(err)
			}
		})
	}
	for _, res := range held {
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Error(err)
		}
		res.Close()
	}
	wg.Wait()
	if n := server.Connections(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
}

// A fetch that waits for a connection that is never released times out, and obeys its context. The
// first refusal is reported at once.
func TestNoConnectionIsFreed(t *testing.T) {
	server := nntptest.NewServer(many, nntptest.MaxConnections(1))
	defer server.Close()
	f := &nntp.Fetcher{Network: &fetchers.Network{Stall: 100 * time.Millisecond}}
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+"/test.many/1-200")})
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	_, err = get(t, f, server.URL+"/test.many/1")
	if !errors.Is(err, fetchers.ErrTemporary) || !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("error %v, want one that is stalled and temporary", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err = f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/test.many/1")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	_, err = get(t, new(nntp.Fetcher), server.URL+"/test.many/1")
	var refused *fetchers.StatusError
	if !errors.As(err, &refused) || refused.Code != 502 || !errors.Is(err, fetchers.ErrTemporary) {
		t.Errorf("error %v, want the server's 502, temporary", err)
	}
}

// State from before TLS is dropped, and the policy is enforced.
func TestTLSPolicy(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy nntp.TLSPolicy
		opts   []nntptest.Option
		secure bool
		want   error
	}{
		{"required, and there", nntp.Required, []nntptest.Option{nntptest.StartTLS()}, true, nil},
		{"required, and not there", nntp.Required, nil, false, fetchers.ErrBlocked},
		{"required, and hidden", nntp.Required, []nntptest.Option{nntptest.StartTLS(), nntptest.Without("CAPABILITIES")}, true, nil},
		{"required, and stripped", nntp.Required, []nntptest.Option{nntptest.StartTLS(), nntptest.Without("STARTTLS")}, false, fetchers.ErrBlocked},
		{"if offered, and there", nntp.IfOffered, []nntptest.Option{nntptest.StartTLS()}, true, nil},
		{"if offered, and not there", nntp.IfOffered, nil, false, nil},
		{"octets before TLS", nntp.Required, []nntptest.Option{nntptest.StartTLS(), nntptest.Inject("220 1 <fake@x>\r\n\r\n.\r\n")}, true, nil},
		{"never", nntp.Never, []nntptest.Option{nntptest.StartTLS()}, false, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := nntptest.NewServer(many, append(c.opts, nntptest.User("joe", "s3cret"), nntptest.Private("*"))...)
			defer server.Close()
			f := &nntp.Fetcher{StartTLS: c.policy, TLS: &tls.Config{RootCAs: server.Roots()}}
			defer f.CloseIdle()
			got, err := get(t, f, strings.Replace(server.URL, "//", "//joe:s3cret@", 1)+"/test.many/1")
			if c.want == nil && (err != nil || !bytes.Contains(got, []byte("number 1"))) || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("%q, %v; want %v", got, err, c.want)
			}
			said := server.Transcript()
			before := slices.Index(said, "STARTTLS")
			if at := slices.Index(said, "AUTHINFO PASS s3cret"); c.secure && (before < 0 || at < before) || c.want != nil && at >= 0 {
				t.Errorf("said %q", said)
			}
		})
	}
	server := nntptest.NewServer(many, nntptest.TLS())
	defer server.Close()
	var untrusted *tls.CertificateVerificationError
	if _, err := get(t, new(nntp.Fetcher), server.URL+"/test.many/1"); !errors.As(err, &untrusted) {
		t.Errorf("a certificate nobody knows: %v", err)
	}
}

// A long listing is compressed, if the server supports it.
func TestCompression(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []nntptest.Option
	}{
		{"offered", nil},
		{"over TLS", []nntptest.Option{nntptest.TLS()}},
		{"not offered", []nntptest.Option{nntptest.Without("COMPRESS")}},
		{"refused", []nntptest.Option{nntptest.Reply("COMPRESS", "403 no memory")}},
		{"cut", []nntptest.Option{nntptest.Faults(nntptest.Fault{Command: "OVER", After: 5000, Do: nntptest.Cut})}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := nntptest.NewServer(many, c.opts...)
			defer server.Close()
			f := &nntp.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}}
			defer f.CloseIdle()
			n := 0
			var failed error
			for e, err := range entries(t, f, server.URL+"/test.many") {
				if failed = err; err == nil && e.Name != "" {
					n++
				}
			}
			if c.name == "cut" {
				if !errors.Is(failed, io.ErrUnexpectedEOF) || n == 0 {
					t.Errorf("%d entries, error %v; want ErrUnexpectedEOF", n, failed)
				}
				return
			}
			if n != 200 || failed != nil {
				t.Errorf("%d entries, error %v", n, failed)
			}
			// The connection remains usable.
			if got, err := get(t, f, server.URL+"/test.many/7"); err != nil || !bytes.Contains(got, []byte("number 7")) {
				t.Errorf("%q, %v", got, err)
			}
			if asked := count(server.Transcript(), "COMPRESS") == 1; asked != (c.name != "not offered") || server.Connections() != 1 {
				t.Errorf("%d connections, said %q", server.Connections(), server.Transcript())
			}
		})
	}
}
