package ftp_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/ftp/*.txt", func() fetchers.Fetcher { return new(ftp.Fetcher) })
}

var content = bytes.Repeat([]byte("all that glitters is not gold\n"), 10_000)

var files = fstest.MapFS{
	"pub/poem.txt":     {Data: content, ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)},
	"pub/deep/a/b.txt": {Data: []byte("b\n"), ModTime: time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)},
}

func TestConformance(t *testing.T) {
	for _, c := range []struct {
		name    string
		fetcher *ftp.Fetcher
		opts    []ftptest.Option
	}{
		{"all", new(ftp.Fetcher), nil},
		{"a server of RFC 959", new(ftp.Fetcher), []ftptest.Option{ftptest.Without("FEAT", "SIZE", "MDTM", "REST", "MLSD", "MLST", "EPSV", "EPRT")}},
		{"explicit TLS", &ftp.Fetcher{AuthTLS: ftp.Required}, []ftptest.Option{ftptest.StartTLS(), ftptest.RequireReuse()}},
		{"implicit TLS", new(ftp.Fetcher), []ftptest.Option{ftptest.TLS(), ftptest.RequireReuse()}},
		{"active", &ftp.Fetcher{Active: true}, nil},
		{"active, in TLS", &ftp.Fetcher{Active: true, AuthTLS: ftp.IfOffered}, []ftptest.Option{ftptest.StartTLS(), ftptest.RequireReuse()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := ftptest.NewServer(files, c.opts...)
			defer server.Close()
			c.fetcher.TLS = &tls.Config{RootCAs: server.Roots()}
			conformance.Run(t, conformance.Target{
				Fetcher:   c.fetcher,
				Document:  parse(t, server.URL+"/pub/poem.txt"),
				Content:   content,
				Missing:   parse(t, server.URL+"/pub/nope"),
				Directory: parse(t, server.URL+"/pub/"),
				Stalled: func(t *testing.T) *url.URL {
					return faulty(t, ftptest.Stall, c.opts)
				},
				Cut: func(t *testing.T) *url.URL {
					return faulty(t, ftptest.Say426, c.opts)
				},
			})
		})
	}
}

func faulty(t *testing.T, do ftptest.Action, opts []ftptest.Option) *url.URL {
	s := ftptest.NewServer(files, append(opts, ftptest.Faults(ftptest.Fault{After: 100_000, Do: do}))...)
	t.Cleanup(s.Close)
	return parse(t, s.URL+"/pub/poem.txt")
}

// Only read-only commands are sent, whatever the URL is.
func TestNothingIsInjected(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	for _, path := range []string{
		"/a%0D%0ADELE%20b", "/%0d%0aDELE%20x/b", "/%0aDELE%20x", "/f;type=%0d%0aDELE%20x", "/f.bin%00.evil",
	} {
		u := parse(t, server.URL+path)
		_, err := new(ftp.Fetcher).Fetch(context.Background(), &fetchers.Request{URL: u})
		var malformed *url.Error
		if !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", path, err)
		}
	}
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections were made: %q", n, server.Transcript())
	}
}

// A server that stalls at any point times out after the stall limit.
func TestSilence(t *testing.T) {
	for _, command := range []string{"USER", "PASS", "FEAT", "TYPE", "CWD", "SIZE", "EPSV", "RETR"} {
		t.Run(command, func(t *testing.T) {
			server := ftptest.NewServer(files, ftptest.Reply(command, ""))
			defer server.Close()
			f := &ftp.Fetcher{Network: &fetchers.Network{Stall: 50 * time.Millisecond}}
			res, err := f.Fetch(context.Background(), &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
			if err == nil {
				res.Close()
			}
			if (command == "SIZE" || command == "FEAT") && err != nil && !errors.Is(err, fetchers.ErrStalled) || command != "SIZE" && command != "FEAT" && !errors.Is(err, fetchers.ErrStalled) {
				t.Errorf("error %v, want ErrStalled", err)
			}
		})
	}
}

// Every connection, data connections included, uses the Network.
func TestAddressPolicy(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	var dialled []string
	nw := &fetchers.Network{}
	ctx := fetchers.WithTrace(context.Background(), &fetchers.Trace{
		ConnectDone: func(_ context.Context, _, addr string, _ error) { dialled = append(dialled, addr) },
		Sent: func(_ context.Context, line string) {
			if strings.Contains(line, "example.com") {
				t.Errorf("the password shows: %q", line)
			}
		},
	})
	res, err := (&ftp.Fetcher{Network: nw}).Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/pub/poem.txt")})
	if err != nil {
		t.Fatal(err)
	}
	res.Close()
	if len(dialled) != 2 {
		t.Errorf("connections to %q, want two", dialled)
	}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A transfer that is truncated at any byte, in any way, does not end in io.EOF.
func TestCutAnywhere(t *testing.T) {
	size := int64(len(content))
	for name, c := range map[string]struct {
		do      ftptest.Action
		without []string
	}{
		"226, and SIZE":  {ftptest.Lie226, nil},
		"426, and SIZE":  {ftptest.Say426, nil},
		"a reset":        {ftptest.Reset, []string{"SIZE", "MLST"}},
		"426":            {ftptest.Say426, []string{"SIZE", "MLST"}},
		"without a word": {ftptest.Cut, []string{"SIZE", "MLST"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range [][]ftptest.Option{nil, {ftptest.StartTLS()}} {
				for _, at := range []int64{0, 1, size / 16, size / 2, size - 1} {
					opts := append(mode, ftptest.Without(c.without...), ftptest.Faults(ftptest.Fault{After: at, Do: c.do}))
					server, f := secured(t, ftp.IfOffered, opts...)
					if got, err := get(t, f, server.URL+"/pub/poem.txt"); err == nil {
						t.Errorf("cut at %d: %d bytes and no error", at, len(got))
					}
				}
			}
		})
	}
}

// The servers of the scripts in silent stall at some point, and time out.
func TestSilentScripts(t *testing.T) {
	conformance.Scripts(t, "../../testdata/wire/ftp/silent/*.txt", func() fetchers.Fetcher {
		return &ftp.Fetcher{Network: &fetchers.Network{Stall: 200 * time.Millisecond}}
	})
}

// If the context ends within a banner, the error is that of the context.
func TestEndInBanner(t *testing.T) {
	server, client := net.Pipe()
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	f := &ftp.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) { return client, nil }}}
	go func() {
		io.WriteString(server, "welcome\r\n")
		io.WriteString(server, "to the archive\r\n")
		cancel()
	}()
	if _, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, "ftp://server.example/f")}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want canceled", err)
	}
}

func TestTree(t *testing.T) {
	modified := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	files := fstest.MapFS{
		"pub/poem.txt":     {Data: content[:100], ModTime: modified},
		"pub/deep/a/b.txt": {Data: []byte("b\n"), ModTime: modified},
		"pub/100% #1;a":    {Data: []byte("odd\n"), ModTime: modified},
		"pub/empty":        {ModTime: modified},
	}
	for name, opts := range map[string][]ftptest.Option{
		"all":                 {},
		"LIST":                {ftptest.Without("MLSD", "MLST")},
		"NLST":                {ftptest.Without("MLSD", "MLST", "LIST")},
		"a server of RFC 959": {ftptest.Without("FEAT", "SIZE", "MDTM", "REST", "MLSD", "MLST", "EPSV", "EPRT")},
	} {
		t.Run(name, func(t *testing.T) {
			server := ftptest.NewServer(files, opts...)
			defer server.Close()
			sub, err := fs.Sub(files, "pub")
			if err != nil {
				t.Fatal(err)
			}
			conformance.Tree(t, new(ftp.Fetcher), parse(t, server.URL+"/pub"), sub)
		})
	}
}
