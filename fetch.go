// Package fetch dereferences URLs of any scheme: it returns the resource that a URL names.
//
//	res, err := fetch.Get(ctx, "ftp://ftp.example.org/pub/README")
//	if err != nil {
//		return err
//	}
//	defer res.Close()
//	_, err = io.Copy(dst, res.Body)
//
// This package combines the others. Package fetchers defines the interfaces, each directory below
// it implements one protocol and can be imported alone, and package url parses URLs.
package fetch

import (
	"context"
	"errors"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/data"
	"github.com/seed1ea3422f/fetch/fetchers/dict"
	"github.com/seed1ea3422f/fetch/fetchers/file"
	"github.com/seed1ea3422f/fetch/fetchers/finger"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/fetchers/mail"
	"github.com/seed1ea3422f/fetch/fetchers/mid"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/fetchers/prospero"
	"github.com/seed1ea3422f/fetch/fetchers/s3"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/fetchers/tftp"
	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/fetchers/wais"
	"github.com/seed1ea3422f/fetch/fetchers/z3950"
	"github.com/seed1ea3422f/fetch/url"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// Protocols returns a Registry of all protocols in this module. They use the network through nw. To
// configure one of them, use NewSet.
func Protocols(nw *fetchers.Network) *fetchers.Registry { return NewSet(nw).Registry() }

// A Set holds all protocols in this module. Its fields are the protocols with settings, which may
// be changed until Registry is called.
type Set struct {
	HTTP     http.Fetcher
	FTP      ftp.Fetcher
	SFTP     sftp.Fetcher
	S3       s3.Fetcher // uses the Registry unless configured otherwise
	Gopher   gopher.Fetcher
	Gemini   gemini.Fetcher
	WAIS     wais.Fetcher
	Z3950    z3950.Fetcher
	Prospero prospero.Fetcher
	NNTP     nntp.Fetcher
	Telnet   telnet.Fetcher
	TFTP     tftp.Fetcher
	File     file.Fetcher
	URN      urn.Fetcher
	MID      mid.Fetcher // uses NNTP, and fetches In with the Registry unless configured otherwise

	network *fetchers.Network // for the protocols without a field
}

// NewSet returns the protocols. They use the network through nw.
func NewSet(nw *fetchers.Network) *Set {
	return &Set{
		HTTP:     http.Fetcher{Network: nw},
		FTP:      ftp.Fetcher{Network: nw},
		SFTP:     sftp.Fetcher{Network: nw},
		Gopher:   gopher.Fetcher{Network: nw},
		Gemini:   gemini.Fetcher{Network: nw},
		WAIS:     wais.Fetcher{Network: nw},
		Z3950:    z3950.Fetcher{Network: nw},
		Prospero: prospero.Fetcher{Network: nw},
		NNTP:     nntp.Fetcher{Network: nw},
		Telnet:   telnet.Fetcher{Network: nw},
		TFTP:     tftp.Fetcher{Network: nw},
		network:  nw,
	}
}

// Registry returns a Registry of the protocols in s. Only here schemes are mapped to protocols.
func (s *Set) Registry() *fetchers.Registry {
	r := new(fetchers.Registry)
	r.Register(&s.HTTP, "http", "https")
	r.Register(&s.FTP, "ftp", "ftps")
	r.Register(&s.SFTP, "sftp", "scp")
	if s.S3.HTTP == nil {
		s.S3.HTTP = r
	}
	r.Register(&s.S3, "s3")
	r.Register(&s.Gopher, "gopher", "gophers")
	r.Register(&s.Gemini, "gemini")
	r.Register(&s.WAIS, "wais")
	r.Register(&s.Z3950, "z39.50r", "z39.50s")
	r.Register(&s.Prospero, "prospero")
	r.Register(&s.NNTP, "news", "snews", "nntp", "nntps")
	r.Register(&s.Telnet, "telnet", "telnets", "rlogin", "tn3270")
	r.Register(&finger.Fetcher{Network: s.network}, "finger")
	r.Register(&dict.Fetcher{Network: s.network}, "dict")
	r.Register(&s.TFTP, "tftp")
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
	r.RegisterName("afs", "a file in the Andrew File System: on a client of AFS, fetch file:///afs/CELL/PATH")
	r.RegisterName("nfs", "a file on an NFS server: mount it, as most serve privileged ports only, and fetch the file URL")
	r.RegisterName("mailserver", "data that a mail server sends on request: mail it the text after the address")
	r.RegisterName("whois++", "records of a WHOIS++ server: ask it in a session with telnet://HOST:63/")
	r.RegisterName("z39.50", "an information service: ask it by a z39.50s URL")
	return r
}

// DefaultClient is the Client of Get. It does not retry and has no passwords.
var DefaultClient = &fetchers.Client{Fetcher: Protocols(nil)}

// Get fetches the resource that rawURL names. The caller must close it. A nil Option or ctx is an
// error.
func Get(ctx context.Context, rawURL string, opts ...Option) (*fetchers.Resource, error) {
	u, err := idn.Parse(rawURL)
	if err != nil {
		return nil, &fetchers.Error{Op: "parse", URL: url.Redact(rawURL), Err: err}
	}
	req := &fetchers.Request{URL: u}
	for _, opt := range opts {
		if opt == nil {
			return nil, fetchers.NewError("fetch", u, errors.New("an Option is nil"))
		}
		opt(req)
	}
	return DefaultClient.Fetch(ctx, req)
}

// An Option changes one request of Get. Settings for all requests are the fields of a Client.
type Option func(*fetchers.Request)

// From requests the range that begins at offset, in bytes. Resource.Range tells whether the server
// sent it.
func From(offset int64) Option {
	return func(r *fetchers.Request) { r.Range.Offset = offset }
}

// Unless makes the request conditional: if the copy with the validator have is still current, the
// Resource has no content and is of Kind Unchanged.
func Unless(have fetchers.Validator) Option {
	return func(r *fetchers.Request) { r.Have = have }
}

// As sends a user name and a password to the server.
func As(user, password string) Option {
	return func(r *fetchers.Request) {
		r.Login = &fetchers.Credential{User: user, Password: password, Source: "request"}
	}
}
