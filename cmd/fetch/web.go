package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	nethttp "net/http"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// webFlags are what only HTTP has.
type webFlags struct {
	http1   bool
	http2   bool
	basic   bool
	digest  bool
	any     bool
	cookies string
	jar     string
	hsts    string

	client  *http.Fetcher
	origins map[string]*originSection // those that have a client of their own
}

func (f *webFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.http1, "http1.1", false, "speak HTTP/1.1 only (default for files)")
	flags.BoolVar(&f.http2, "http2", false, "speak HTTP/2 where the server does (default but for files)")
	flags.BoolVar(&f.basic, "basic", false, "log in by Basic only")
	flags.BoolVar(&f.digest, "digest", false, "log in by Digest only")
	flags.BoolVar(&f.any, "anyauth", false, "log in as the server asks for, by Digest rather than Basic (default)")
	flags.StringVarP(&f.cookies, "cookie", "b", "", "`NAME=VALUE|FILE`: send the cookies NAME=VALUE; NAME2=VALUE2, or those of FILE")
	flags.StringVarP(&f.jar, "cookie-jar", "c", "", "write all cookies to `FILE` at the end")
	flags.StringVar(&f.hsts, "hsts", "", "keep in `FILE` which hosts want https, and go there by https")
}

// apply writes the flags into client. A file comes a fifth faster without the frames
// of HTTP/2, and several connections for one would be a single one there.
func (f *webFlags) apply(ctx context.Context, client *http.Fetcher, toFiles bool) error {
	f.client = client
	if f.http1 || toFiles && !f.http2 {
		client.Protocols = new(nethttp.Protocols)
		client.Protocols.SetHTTP1(true)
	}
	switch {
	case f.any:
	case f.basic && f.digest:
	case f.basic:
		client.Logins = []string{"basic"}
	case f.digest:
		client.Logins = []string{"digest"}
	}
	if f.jar != "" || f.cookies != "" && !f.literal() {
		client.Jar = new(http.Jar)
		if f.cookies != "" && !f.literal() {
			if err := load(ctx, f.cookies, client.Jar.Load); err != nil {
				return err
			}
		}
	}
	if f.hsts != "" {
		client.HSTS = new(http.HSTS)
		return load(ctx, f.hsts, client.HSTS.Load)
	}
	return nil
}

// literal reports whether -b has cookies and not the name of a file.
func (f *webFlags) literal() bool { return strings.Contains(f.cookies, "=") }

// ask writes the cookies of the command line into req.
func (f *webFlags) ask(req *fetchers.Request) error {
	if f.literal() {
		req.Header.Set("Cookie", f.cookies)
		if err := http.CheckFields(req.Header); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// errNoIndex is the error for a web directory whose entries the server does not list.
var errNoIndex = errors.New("the page is no index of a directory, and the server has no WebDAV for it")

// index returns the entries of a directory that HTTP knows nothing of: those of res if it
// is the index page of a server, else those of WebDAV. The caller may have err in place
// of res. It returns nil if there are none; res is then untouched. The error is that of
// reading the page, or errNoIndex if the page is no index; a document of another type is
// its own entry.
func (f *webFlags) index(ctx context.Context, req *fetchers.Request, res *fetchers.Resource, err error) (*fetchers.Resource, error) {
	if res != nil {
		req = req.At(res.URL)
	}
	if s := req.URL.Scheme; s != "http" && s != "https" || !strings.HasSuffix(cmp.Or(req.URL.Path, "/"), "/") {
		return nil, nil
	}
	if res == nil && !hasNoPage(err, req.URL) || res != nil && res.Kind != fetchers.Document {
		return nil, nil
	}
	if res != nil {
		if is, err := http.Index(res); is || err != nil {
			return res, err
		}
	}
	client := f.client
	if s := f.origins[originOf(req.URL)]; s != nil {
		if _, err := s.open(ctx); err == nil {
			client, req = s.own.web.client, s.ask(ctx, req)
		}
	}
	listing, err := client.List(ctx, req)
	switch {
	case err == nil && listing.Kind == fetchers.Listing:
		return listing, nil
	case err == nil:
		listing.Close() // a redirection, which only a Client knows how to follow
	case ctx.Err() != nil:
		return nil, err
	}
	if res != nil && res.MediaType == "text/html" {
		return nil, hinted{
			fetchers.NewError("list", res.URL, errNoIndex),
			[]string{"to get the page itself: fetch " + withoutPassword(res.URL).Redacted()},
		}
	}
	return nil, nil
}

// hasNoPage reports whether err is what the server of u says that has no page for it. A
// server of WebDAV may still list what is there; any other failure is one.
func hasNoPage(err error, u *url.URL) bool {
	var (
		failed *fetchers.Error
		status *fetchers.StatusError
	)
	if !errors.As(err, &failed) || failed.URL != u.Redacted() || !errors.As(err, &status) {
		return false
	}
	return slices.Contains([]int{403, 404, 405, 501}, status.Code)
}

// load reads a file, which need not be there yet.
func load(ctx context.Context, name string, use func(io.Reader) error) error {
	if err := read(ctx, name, use); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return inputError{err}
	}
	return nil
}

// save writes the cookies and what was learned about https.
func (f *webFlags) save(ctx context.Context) error {
	if f.client == nil {
		return nil
	}
	if f.jar != "" {
		if err := writeOut(ctx, f.jar, func() error { return replace(f.jar, f.client.Jar.Save) }); err != nil {
			return err
		}
	}
	if f.hsts != "" {
		return writeOut(ctx, f.hsts, func() error { return replace(f.hsts, f.client.HSTS.Save) })
	}
	return nil
}

// replace replaces a file by a new one, at once and never in part. The permissions of the
// old file stay. If there is none, the file is for the user alone: cookies are logins,
// and the hosts that want https show where the user has been.
func replace(name string, write func(io.Writer) error) error {
	part, err := download.CreatePrivate(name)
	if err != nil {
		return writeError{err}
	}
	if err := write(part); err != nil {
		part.Discard()
		return writeError{err}
	}
	if err := part.Commit(); err != nil {
		return writeError{err}
	}
	return nil
}
