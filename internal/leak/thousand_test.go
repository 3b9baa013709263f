package leak_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/dicttest"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/prosperotest"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/integration/tftptest"
	"github.com/seed1ea3422f/fetch/integration/waistest"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/internal/leak"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	thousand = 1000
	atOnce   = 8
)

// text is 16 KiB: a few packets in packet protocols.
var text = bytes.Repeat([]byte("All that glitters is not gold.\r\n"), 512)

var files = fstest.MapFS{
	"pub/poem.txt": {Data: text},
	"newsgroups":   {Data: []byte("test.misc\tAbout nothing\n")},
	"test.misc/1":  {Data: append([]byte("Message-ID: <1@example.com>\nSubject: poem\n\n"), text...)},
}

// A place is a server with URLs to fetch.
type place struct {
	there, missing string // missing is "" if every URL of the server exists
	roots          *x509.CertPool
	close          func()
}

// places starts a server for each scheme.
var places = map[string]func(t *testing.T) place{
	"http":    func(*testing.T) place { return web((*httptest.Server).Start) },
	"https":   func(*testing.T) place { return web((*httptest.Server).StartTLS) },
	"ftp":     func(*testing.T) place { return fromFTP() },
	"ftps":    func(*testing.T) place { return fromFTP(ftptest.TLS()) },
	"gopher":  func(*testing.T) place { return fromGopher() },
	"gophers": func(*testing.T) place { return fromGopher(gophertest.TLS()) },
	"nntp":    func(*testing.T) place { return fromNews("nntp", "/test.misc/1", "/test.misc/2") },
	"nntps": func(*testing.T) place {
		return fromNews("nntps", "/test.misc/1", "/test.misc/2", nntptest.TLS())
	},
	"news": func(*testing.T) place { return fromNews("news", "/1@example.com", "/2@example.com") },
	"snews": func(*testing.T) place {
		return fromNews("snews", "/1@example.com", "/2@example.com", nntptest.TLS())
	},
	"wais": func(t *testing.T) place {
		server := waistest.NewServer(files)
		p := place{missing: server.URL + "/nothing?gold", close: server.Close}
		client := p.client()
		defer client.CloseIdle()
		res, err := client.Get(t.Context(), server.URL+"/pub?gold")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Close()
		for entry, err := range res.Entries() {
			if err != nil {
				t.Fatal(err)
			}
			p.there = entry.URL.String()
		}
		return p
	},
	"z39.50r": func(*testing.T) place {
		server := z3950test.NewServer(files)
		u := "z39.50r://" + server.Addr
		return place{there: u + "/pub?poem.txt", missing: u + "/pub?nothing", close: server.Close}
	},
	"z39.50s": func(*testing.T) place {
		server := z3950test.NewServer(files)
		return place{there: server.URL + "/pub?gold", missing: server.URL + "/nothing?gold", close: server.Close}
	},
	"prospero": func(*testing.T) place {
		server := prosperotest.NewServer(prosperotest.Tree(files))
		return place{there: server.URL + "//pub/poem.txt", missing: server.URL + "//pub/nothing", close: server.Close}
	},
	"dict": func(*testing.T) place {
		server := dicttest.NewServer(files)
		return place{there: server.URL + "/d:poem.txt:pub", missing: server.URL + "/d:nothing", close: server.Close}
	},
	"tftp": func(*testing.T) place {
		server := tftptest.NewServer(files, tftptest.Resend(20*time.Millisecond)) // so that it soon notices a client that has left
		return place{there: server.URL + "/pub/poem.txt", missing: server.URL + "/nothing", close: server.Close}
	},
	"telnet":  func(*testing.T) place { return fromTelnet() },
	"telnets": func(*testing.T) place { return fromTelnet(telnettest.TLS()) },
	"file": func(t *testing.T) place {
		name := filepath.Join(t.TempDir(), "poem.txt")
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		u := url.FileOf(filepath.ToSlash(name)).URL().String()
		return place{there: u, missing: u + ".not", close: func() {}}
	},
}

func web(start func(*httptest.Server)) place {
	server := httptest.NewUnstartedServer(http.FileServerFS(files))
	start(server)
	p := place{there: server.URL + "/pub/poem.txt", missing: server.URL + "/nothing", close: server.Close}
	if c := server.Certificate(); c != nil {
		p.roots = x509.NewCertPool()
		p.roots.AddCert(c)
	}
	return p
}

func fromFTP(opts ...ftptest.Option) place {
	server := ftptest.NewServer(files, opts...)
	return place{server.URL + "/pub/poem.txt", server.URL + "/pub/nothing", server.Roots(), server.Close}
}

func fromGopher(opts ...gophertest.Option) place {
	server := gophertest.NewServer(files, opts...)
	return place{server.URL + "/0/pub/poem.txt", server.URL + "/0/nothing", server.Roots(), server.Close}
}

func fromNews(scheme, there, missing string, opts ...nntptest.Option) place {
	server := nntptest.NewServer(files, opts...)
	u := scheme + "://" + server.Addr
	return place{u + there, u + missing, server.Roots(), server.Close}
}

func fromTelnet(opts ...telnettest.Option) place {
	server := telnettest.NewServer(append(opts, telnettest.Greeting(string(text)), telnettest.Offer(telnettest.Inetutils...))...)
	return place{there: server.URL, roots: server.Roots(), close: server.Close}
}

// client returns a client that trusts the server.
func (p *place) client() *fetchers.Client {
	set := fetch.NewSet(nil)
	trust := &tls.Config{RootCAs: p.roots}
	set.HTTP.TLS, set.FTP.TLS, set.Gopher.TLS, set.NNTP.TLS, set.Telnet.TLS = trust, trust, trust, trust, trust
	return &fetchers.Client{Fetcher: set.Registry()}
}

// TestThousand checks that a thousand fetches of each protocol, which end in many ways, leak
// nothing on either side. The servers are still running during the check.
func TestThousand(t *testing.T) {
	for scheme, start := range places {
		t.Run(scheme, func(t *testing.T) {
			p := start(t)
			defer p.close()
			before := leak.Now()
			client := p.client()
			var wg sync.WaitGroup
			for worker := range atOnce {
				wg.Go(func() {
					for i := worker; i < thousand; i += atOnce {
						if err := p.fetch(client, i); err != nil {
							t.Errorf("fetch %d: %v", i, err)
							return
						}
					}
				})
			}
			wg.Wait()
			client.CloseIdle()
			if err := before.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// fetch fetches in one of twenty ways, most of them regular, and returns an error if the result is
// wrong.
func (p *place) fetch(client *fetchers.Client, i int) error {
	way, u := i%20, p.there
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	hurried := way == 0 || way == 1
	if hurried { // at any time from before the connection to after the end
		ctx, cancel = context.WithTimeout(ctx, rand.N(5*time.Millisecond))
		defer cancel()
	}
	if (way == 2 || way == 3) && p.missing != "" {
		u = p.missing
	}
	body, err := open(ctx, client, u)
	if u == p.missing && errors.Is(err, fs.ErrNotExist) || hurried && errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err != nil {
		return err
	}
	defer body.Close()
	switch way {
	case 4: // closed without a Read
		return nil
	case 5: // closed in the middle
		_, err := io.CopyN(io.Discard, body, 1000)
		return err
	case 6: // canceled in the middle
		if _, err := io.CopyN(io.Discard, body, 1000); err != nil {
			return err
		}
		cancel()
	}
	n, err := io.Copy(io.Discard, io.LimitReader(body, int64(len(text)))) // a session does not end by itself
	if err == nil && !strings.HasPrefix(u, "telnet") {
		_, err = io.Copy(io.Discard, body)
	}
	switch {
	case way == 6 && errors.Is(err, context.Canceled), hurried && errors.Is(err, context.DeadlineExceeded):
		return nil
	case err == nil && way != 6 && n < int64(len(text)):
		return io.ErrUnexpectedEOF
	case err == nil && way == 6 && n < int64(len(text))-1000:
		return errors.New("what was cancelled passes for whole")
	}
	return err
}

// open returns the body of a document, or a session.
func open(ctx context.Context, client *fetchers.Client, u string) (io.ReadCloser, error) {
	res, err := client.Get(ctx, u)
	if err != nil || res.Session == nil {
		return body{res}, err
	}
	defer res.Close()
	return res.Session.Dial(ctx)
}

// A body closes its Resource.
type body struct{ *fetchers.Resource }

func (b body) Read(p []byte) (int, error) { return b.Body.Read(p) }
