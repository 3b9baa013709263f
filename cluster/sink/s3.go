package sink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	neturl "net/url"
	"os"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/s3utils"
)

// An S3 is a Sink in a bucket of an S3 server. A body is the object PREFIXsha256/ab/cd/abcd…, where
// abcd… is its SHA-256 in hexadecimal.
//
// An object is written if it is not there (If-None-Match: *). The server is sent the SHA-256 and the
// MD5 of the content, and refuses content that has others; if its ETag is then another MD5, the
// object is removed and is an error. A body of more than 16 MiB is sent in parts, so nothing of it
// stays if it is not whole.
type S3 struct {
	config S3Config
	core   *minio.Core
	idle   func()

	partSize int64 // a smaller one in tests
}

// An S3Config says where an S3 keeps its bodies.
type S3Config struct {
	Endpoint string // "https://host:port"; "" is https://s3.amazonaws.com
	Region   string // "" has the client ask the server
	Bucket   string // has to be there
	Prefix   string // of all keys: "" or "some/"

	// Keys returns the keys by which a request is signed. It is called for each request, from
	// any goroutine.
	Keys func() (Keys, error)

	// Spool is a directory for bodies of more than 64 KiB, until they are sent; "" is that for
	// temporary files. The names of the files are removed at once where the system allows that.
	Spool string

	// Transport sends the requests; nil is an http.Transport without a proxy.
	Transport http.RoundTripper
}

// Keys are the credentials of an S3 account. Without an Access key requests are not signed.
type Keys struct{ Access, Secret, Token string }

// NewS3 returns the Sink of a bucket. It opens no connection.
func NewS3(c S3Config) (*S3, error) {
	s := &S3{config: c, partSize: partSize}
	endpoint, err := neturl.Parse(cmp.Or(c.Endpoint, "https://s3.amazonaws.com"))
	switch {
	case err != nil:
		return nil, s.failed("", errors.New("the endpoint is no URL"))
	case endpoint.Scheme != "http" && endpoint.Scheme != "https", endpoint.Host == "", strings.Trim(endpoint.Path, "/") != "", endpoint.RawQuery != "":
		return nil, s.failed("", errors.New("the endpoint has to be like https://host:port"))
	case endpoint.User != nil:
		return nil, s.failed("", errors.New("the endpoint has a user"))
	}
	if err := s3utils.CheckValidBucketNameStrict(c.Bucket); err != nil {
		return nil, s.failed("", err)
	}
	transport := c.transport()
	s.idle = (&http.Client{Transport: transport}).CloseIdleConnections
	s.core, err = minio.NewCore(endpoint.Host, &minio.Options{
		Creds:     credentials.New(provider{c.Keys}),
		Secure:    endpoint.Scheme == "https",
		Region:    c.Region,
		Transport: transport,
	})
	if err != nil {
		return nil, s.failed("", err)
	}
	return s, nil
}

// transport returns the Transport, or else one that reads no environment.
func (c *S3Config) transport() http.RoundTripper {
	if c.Transport != nil {
		return c.Transport
	}
	return &http.Transport{
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		TLSHandshakeTimeout:   10 * time.Second,
		ResponseHeaderTimeout: time.Minute,
		IdleConnTimeout:       time.Minute,
		MaxIdleConnsPerHost:   64,
		DisableCompression:    true,
	}
}

// Close closes idle connections. No body may be in work.
func (s *S3) Close() error {
	s.idle()
	return nil
}

// Create begins a body. It costs a file of the spool if it has more than 64 KiB.
func (s *S3) Create(ctx context.Context) (Body, error) {
	if err := ctx.Err(); err != nil {
		return nil, s.failed("", err)
	}
	return &s3Body{s3: s, spool: newSpool(ctx, s.temp)}, nil
}

// Sync has nothing to do: an S3 server answers when an object is on stable storage.
func (s *S3) Sync(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return s.failed("", err)
	}
	return nil
}

// temp makes a file of the spool.
func (s *S3) temp() (*os.File, string, error) {
	file, err := os.CreateTemp(s.config.Spool, "fetchd-*")
	if err != nil {
		return nil, "", err
	}
	if os.Remove(file.Name()) == nil { // nothing is left if the worker dies
		return file, "", nil
	}
	return file, file.Name(), nil
}

// url returns the URL of a key.
func (s *S3) url(key string) string {
	u := neturl.URL{Scheme: "s3", Host: s.config.Bucket, Path: "/" + s.config.Prefix + key}
	return u.String()
}

// failed says where an error was.
func (s *S3) failed(key string, err error) error {
	return fmt.Errorf("keep a body as %s: %w", s.url(key), err)
}

// An s3Body is a body of an S3.
type s3Body struct {
	s3    *S3
	spool *spool
	ended bool
}

func (b *s3Body) Write(p []byte) (int, error) {
	if b.ended {
		return 0, b.s3.failed("", fs.ErrClosed)
	}
	n, err := b.spool.Write(p)
	if err != nil {
		err = b.s3.failed("", err)
	}
	return n, err
}

func (b *s3Body) Commit() (Object, error) {
	if b.ended {
		return Object{}, b.s3.failed("", fs.ErrClosed)
	}
	o, sum := b.spool.object()
	u := &upload{s3: b.s3, key: b.s3.config.Prefix + key(sum), size: o.Size, body: b.spool.reader()}
	if err := u.run(b.spool.ctx); err != nil {
		return Object{}, errors.Join(b.s3.failed(key(sum), err), b.Discard())
	}
	o.Name = b.s3.url(key(sum))
	return o, b.Discard()
}

func (b *s3Body) Discard() error {
	b.ended = true
	err := b.spool.close()
	if b.spool.name != "" {
		err = errors.Join(err, os.Remove(b.spool.name))
		b.spool.name = ""
	}
	if err != nil {
		err = b.s3.failed("", err)
	}
	return err
}

// A provider gives minio the keys, anew for each request.
type provider struct{ keys func() (Keys, error) }

func (p provider) Retrieve() (credentials.Value, error) {
	if p.keys == nil {
		return credentials.Value{SignerType: credentials.SignatureAnonymous}, nil
	}
	k, err := p.keys()
	if err != nil {
		return credentials.Value{}, err
	}
	v := credentials.Value{AccessKeyID: k.Access, SecretAccessKey: k.Secret, SessionToken: k.Token, SignerType: credentials.SignatureV4}
	if k.Access == "" {
		v.SignerType = credentials.SignatureAnonymous
	}
	return v, nil
}

func (p provider) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return p.Retrieve()
}

func (p provider) IsExpired() bool { return true }
