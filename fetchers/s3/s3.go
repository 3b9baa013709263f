package s3

import (
	"context"
	"errors"
	"io/fs"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches s3 URLs. HTTP is required. Its fields must not change in use, and it must not
// be copied after its first use.
type Fetcher struct {
	// HTTP fetches the http and https URLs of the requests: an http.Fetcher, or a Registry with
	// one. All requests use its Network, TLS settings and proxies. Its creator closes its idle
	// connections.
	HTTP fetchers.Fetcher

	// Account returns the account for a bucket, or an error. If nil, the zero Account is used. It
	// has to be safe for concurrent use.
	Account func(ctx context.Context, bucket string) (Account, error)

	known places
}

// An Account is a server and its credentials. The zero Account is Amazon S3 without signatures.
type Account struct {
	// Endpoint is the http or https URL of a server with buckets as the first element of the path.
	// If nil, the server is Amazon S3, with https and with buckets as hosts.
	Endpoint *url.URL

	// Region is the initial region of buckets, until the server names another one; "" means
	// us-east-1. It consists of lower-case letters, digits and hyphens.
	Region string

	// Credentials are used only for URLs that the user has named (Request.Named). The Login of a
	// Request, an access key and its secret, has priority.
	Credentials
}

// ForAll returns a. It is the Account function of a Fetcher with one account for all buckets.
func (a Account) ForAll(context.Context, string) (Account, error) { return a, nil }

// Credentials are the keys for signatures. The zero Credentials mean no signature.
type Credentials struct {
	AccessKey    string
	SecretKey    string
	SessionToken string // of temporary keys; "" if there is none
}

// Fetch fetches req: an object with one request, and a listing with one for each page. If the
// region or the clock has to be corrected, there is an extra request, but not for further URLs of
// the bucket.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.Named == fetchers.ByStranger {
		req = req.FromStranger() // also without a Client
	}
	what, err := req.URL.S3()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	account, err := f.account(ctx, req, what.Bucket)
	if err != nil {
		return nil, fetchers.NewError("login", req.URL, err)
	}
	x := &exchange{fetcher: f, req: req, bucket: what.Bucket, account: account}
	if what.IsListing() {
		return x.list(ctx, what.Key)
	}
	return x.object(ctx, what)
}

// account returns the account for req. Only a URL that the user has named is signed.
func (f *Fetcher) account(ctx context.Context, req *fetchers.Request, bucket string) (a Account, err error) {
	if f.Account != nil {
		a, err = f.Account(ctx, bucket)
	}
	switch {
	case req.Named != fetchers.ByUser:
		a.Credentials = Credentials{}
	case req.Login != nil:
		a.Credentials = Credentials{AccessKey: req.Login.User, SecretKey: req.Login.Password}
	}
	return a, err
}

// object fetches an object. If it does not exist and the Request has List, it looks for a listing
// with that name.
func (x *exchange) object(ctx context.Context, what url.S3) (*fetchers.Resource, error) {
	ask := question{key: what.Key, describe: x.req.Describe, part: x.req.Range, have: x.req.Have}
	if what.Version != "" {
		ask.query = "versionId=" + escape(what.Version, "")
	}
	res, err := x.do(ctx, ask)
	if !x.req.List || what.Version != "" || !errors.Is(err, fs.ErrNotExist) {
		return res, err
	}
	directory := *x.req
	directory.URL, directory.Describe, directory.NoFail = x.req.URL.Directory(), true, false
	y := *x
	y.req = &directory
	found, missing := y.list(ctx, what.Key+"/")
	if missing != nil {
		return nil, err
	}
	found.Kind, found.Location = fetchers.Redirect, found.URL
	found.URL, found.Leads = x.req.URL, func(scheme string) bool { return scheme == "s3" }
	return found, nil
}
