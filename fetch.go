// Package fetch dereferences URLs: a URL goes in, what it names comes out,
// whichever protocol it takes.
//
//	res, err := fetch.Get(ctx, "ftp://ftp.example.org/pub/README")
//	if err != nil {
//		return err
//	}
//	defer res.Close()
//	_, err = io.Copy(dst, res.Body)
//
// This package is the front door. Package fetchers says what fetching is, the
// directories below it each speak one protocol and can be imported alone, and
// package url takes URLs apart.
package fetch

import (
	"context"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/mail"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Protocols returns a Registry of every protocol in this module, all reaching
// the network through nw. To adjust one of them, use NewSet.
func Protocols(nw *fetchers.Network) *fetchers.Registry { return NewSet(nw).Registry() }

// A Set is every protocol in this module. Its fields, which are those protocols that
// have settings, may be adjusted until Registry is called.
type Set struct {
	HTTP     http.Fetcher
	FTP      ftp.Fetcher
	Gopher   gopher.Fetcher
	WAIS     wais.Fetcher
	Prospero prospero.Fetcher
	NNTP     nntp.Fetcher
	Telnet   telnet.Fetcher
	File     file.Fetcher
	URN      urn.Fetcher
	MID      mid.Fetcher // asks NNTP, and fetches In by the Registry, unless it is told otherwise

	network *fetchers.Network // for those that are no field
}

// NewSet returns the protocols, all reaching the network through nw.
func NewSet(nw *fetchers.Network) *Set {
	return &Set{
		HTTP:     http.Fetcher{Network: nw},
		FTP:      ftp.Fetcher{Network: nw},
		Gopher:   gopher.Fetcher{Network: nw},
		WAIS:     wais.Fetcher{Network: nw},
		Prospero: prospero.Fetcher{Network: nw},
		NNTP:     nntp.Fetcher{Network: nw},
		Telnet:   telnet.Fetcher{Network: nw},
		network:  nw,
	}
}

// Registry returns a Registry of the protocols in s. This is the one place where
// schemes meet fetchers.
func (s *Set) Registry() *fetchers.Registry {
	r := new(fetchers.Registry)
	r.Register(&s.HTTP, "http", "https")
	r.Register(&s.FTP, "ftp", "ftps")
	r.Register(&s.Gopher, "gopher", "gophers")
	r.Register(&s.WAIS, "wais")
	r.Register(&s.Prospero, "prospero")
	r.Register(&s.NNTP, "news", "snews", "nntp", "nntps")
	r.Register(&s.Telnet, "telnet", "telnets", "rlogin", "tn3270")
	r.Register(&finger.Fetcher{Network: s.network}, "finger")
	r.Register(&s.File, "file")
	r.Register(new(mail.Fetcher), "mailto")
	r.Register(new(data.Fetcher), "data")
	r.Register(&s.URN, "urn")
	if s.MID.News == nil {
		s.MID.News = &s.NNTP
	}
	if s.MID.Fetcher == nil {
		s.MID.Fetcher = r
	}
	r.Register(&s.MID, "mid", "cid")
	r.RegisterName("afs", "a file in the Andrew File System: mount it and fetch the file URL")
	r.RegisterName("nfs", "a file on an NFS server: mount it and fetch the file URL")
	r.RegisterName("mailserver", "data that a mail server sends on request: ask for it by mail")
	r.RegisterName("z39.50", "an information service: ask it with a Z39.50 client such as yaz-client")
	r.RegisterName("z39.50r", "a record on a Z39.50 server: ask it with a Z39.50 client such as yaz-client")
	r.RegisterName("z39.50s", "a session with a Z39.50 server: open it with a Z39.50 client such as yaz-client")
	return r
}

// DefaultClient is the Client behind Get. It does not retry and knows no
// passwords.
var DefaultClient = &fetchers.Client{Fetcher: Protocols(nil)}

// Get fetches the resource that rawURL names. The caller must close it.
func Get(ctx context.Context, rawURL string, opts ...Option) (*fetchers.Resource, error) {
	u, err := idn.Parse(rawURL)
	if err != nil {
		return nil, &fetchers.Error{Op: "parse", URL: url.Redact(rawURL), Err: err}
	}
	req := &fetchers.Request{URL: u}
	for _, opt := range opts {
		opt(req)
	}
	return DefaultClient.Fetch(ctx, req)
}

// An Option adjusts one request made through Get.
// Settings that outlive a request are the fields of a Client.
type Option func(*fetchers.Request)

// From asks for what follows the first offset bytes. Whether the server agreed
// is in Resource.Range.
func From(offset int64) Option {
	return func(r *fetchers.Request) { r.Range.Offset = offset }
}

// Unless asks for nothing if the copy that have describes is still good. The
// Resource is then of Kind Unchanged.
func Unless(have fetchers.Validator) Option {
	return func(r *fetchers.Request) { r.Have = have }
}

// As presents a user name and a password to the server.
func As(user, password string) Option {
	return func(r *fetchers.Request) {
		r.Login = &fetchers.Credential{User: user, Password: password, Source: "request"}
	}
}
