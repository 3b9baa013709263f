package s3

import (
	"bufio"
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	neturl "net/url"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

const (
	maxPage  = 8 << 20 // bytes of a page: 1000 keys of 1024 bytes, each escaped, are half of it
	maxToken = 4 << 10 // bytes of a continuation token
)

// A page is the answer to ListObjectsV2.
type page struct {
	XMLName        xml.Name `xml:"ListBucketResult"`
	IsTruncated    bool
	NextToken      string `xml:"NextContinuationToken"`
	EncodingType   string
	Objects        []Object `xml:"Contents"`
	CommonPrefixes []struct{ Prefix string }
}

// An Object is an object in a listing, with the fields as written there. It is the Sys of an Entry.
type Object struct {
	Key          string
	LastModified string
	ETag         string
	Size         string
	StorageClass string
}

// list fetches a listing of the keys with a prefix, up to the next slash. Its Body is the pages;
// the next one is requested after the last one has been read.
func (x *exchange) list(ctx context.Context, prefix string) (*fetchers.Resource, error) {
	ctx, cancel := context.WithCancel(ctx)
	p := &pages{cancel: cancel, fetch: func(token string) (*fetchers.Resource, error) {
		return x.do(ctx, question{query: query(prefix, token, x.req.Describe)})
	}}
	from, err := p.turn()
	switch {
	case err != nil:
		cancel()
		return nil, about(x.req.URL, err)
	case from.Refusal != nil:
		from.WrapBody(func(src io.ReadCloser) io.ReadCloser { return ending{src, cancel} })
		return from, nil
	}
	res := &fetchers.Resource{
		URL: x.req.URL, Kind: fetchers.Listing, Reply: from.Reply, MediaType: from.MediaType, Size: -1, Header: from.Header,
		RemoteAddr: from.RemoteAddr, LocalAddr: from.LocalAddr, TLS: from.TLS, Streams: from.Streams,
	}
	if prefix != "" && !p.found && !x.inParent(ctx, prefix) {
		cancel()
		return nil, fetchers.NewError("fetch", x.req.URL, fmt.Errorf("%w: no key of the bucket has this prefix", fs.ErrNotExist))
	}
	if x.req.Describe {
		cancel()
		res.SetBody(nil)
		return res, nil
	}
	base := x.req.URL
	res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return ParseListing(base, body) }
	res.SetBody(p)
	return res, nil
}

// inParent reports whether the listing of the parent has the prefix. Servers on a file system list
// an empty directory.
func (x *exchange) inParent(ctx context.Context, prefix string) bool {
	above, err := x.req.URL.Directory().Resolve("../")
	if err != nil {
		return false
	}
	p := &pages{fetch: func(token string) (*fetchers.Resource, error) {
		return x.do(ctx, question{query: query(strings.TrimSuffix(prefix, "/"), token, false)})
	}}
	if _, err := p.turn(); err != nil {
		return false
	}
	for e, err := range ParseListing(above, bytes.NewReader(p.text)) {
		if err == nil && e.Kind == fetchers.Listing && e.URL.Equal(x.req.URL.Directory()) {
			return true
		}
	}
	return false
}

// query returns the query of ListObjectsV2 for a page, or for a single name.
func query(prefix, token string, one bool) string {
	var b strings.Builder
	if token != "" {
		b.WriteString("continuation-token=" + escape(token, "") + "&")
	}
	b.WriteString("delimiter=%2F&encoding-type=url&list-type=2")
	if one {
		b.WriteString("&max-keys=1")
	}
	b.WriteString("&prefix=" + escape(prefix, ""))
	return b.String()
}

// A pages is the Body of a listing. It holds one page in memory.
type pages struct {
	fetch  func(token string) (*fetchers.Resource, error)
	cancel context.CancelFunc
	text   []byte // the unread rest of the page
	token  string // of the next page; "" if there is none
	found  bool   // the listing has a name, or a further page
}

func (p *pages) Read(b []byte) (int, error) {
	for len(p.text) == 0 {
		if p.token == "" {
			return 0, io.EOF
		}
		if _, err := p.turn(); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}

// Close ends the current request.
func (p *pages) Close() error {
	p.cancel()
	return nil
}

// turn fetches the next page. With Request.NoFail, a refusal of the first page is returned open.
func (p *pages) turn() (*fetchers.Resource, error) {
	res, err := p.fetch(p.token)
	if err != nil || res.Refusal != nil && p.token == "" {
		return res, err
	}
	defer res.Close()
	if res.Refusal != nil {
		return nil, res.Refusal
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxPage:
		return nil, fmt.Errorf("%w: a page of a listing with more than %d bytes", fetchers.ErrProtocol, maxPage)
	}
	last := p.token
	if err := p.read(text); err != nil {
		return nil, err
	}
	if p.token != "" && p.token == last {
		return nil, fmt.Errorf("%w: a page of a listing leads to itself", fetchers.ErrProtocol)
	}
	return res, nil
}

// An ending is a Body whose Close cancels its context.
type ending struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (e ending) Close() error {
	e.cancel()
	return e.ReadCloser.Close()
}

// read stores the text of a page, and the token of the next one.
func (p *pages) read(text []byte) error {
	var got page
	in := xml.NewDecoder(bytes.NewReader(text))
	if err := in.Decode(&got); err != nil {
		return pageError(err)
	}
	if _, err := in.Token(); err != io.EOF {
		return pageError(errors.New("text follows the page"))
	}
	switch {
	case !got.IsTruncated:
		got.NextToken = ""
	case got.NextToken == "":
		return pageError(errors.New("it is truncated, and names no next one"))
	case len(got.NextToken) > maxToken:
		return pageError(fmt.Errorf("a continuation token of more than %d bytes", maxToken))
	}
	p.text, p.token = text, got.NextToken
	p.found = len(got.Objects)+len(got.CommonPrefixes) > 0 || got.IsTruncated
	return nil
}

// pageError returns a malformed page as an ErrProtocol. An error of the Body keeps its class.
func pageError(err error) error {
	if e := new(fetchers.Error); errors.As(err, &e) {
		return err
	}
	return fmt.Errorf("%w: a page of a listing: %w", fetchers.ErrProtocol, err)
}

// ParseListing parses the listing of base: the concatenated pages in body. Objects are Documents,
// with an [Object] in Sys, and common prefixes are Listings. A key that is not exactly one level
// below base is Unparsed. The object for a directory, with the key of base, is not an entry if it
// is empty.
func ParseListing(base *url.URL, body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		what, err := base.S3()
		if err != nil {
			yield(fetchers.Entry{}, err)
			return
		}
		l := lister{dir: what.URL().Directory(), prefix: what.Key}
		in := &allowance{Reader: bufio.NewReader(body)}
		decoder := xml.NewDecoder(in)
		for {
			var p page
			in.left = maxPage
			switch err := decoder.Decode(&p); {
			case err == io.EOF:
				return
			case err != nil:
				yield(fetchers.Entry{}, pageError(err))
				return
			}
			for e := range l.entries(&p) {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// A lister converts names to entries of a directory.
type lister struct {
	dir    *url.URL
	prefix string // of the keys
}

// entries yields the entries of a page.
func (l *lister) entries(p *page) iter.Seq[fetchers.Entry] {
	decode := func(name string) string { return name }
	if p.EncodingType == "url" {
		decode = decoded
	}
	return func(yield func(fetchers.Entry) bool) {
		for _, c := range p.CommonPrefixes {
			name := decode(c.Prefix)
			e := l.entry(name, strings.TrimSuffix(name, "/"), fetchers.Listing)
			if e.Kind == fetchers.Listing {
				e.URL.Path += "/"
			}
			if !yield(e) {
				return
			}
		}
		for _, o := range p.Objects {
			key := decode(o.Key)
			if key == l.prefix && o.Size == "0" {
				continue
			}
			e := l.entry(key, key, fetchers.Document)
			o.describe(&e)
			if !yield(e) {
				return
			}
		}
	}
}

// entry returns the entry of a key; path is the key without a slash at its end.
func (l *lister) entry(key, path string, kind fetchers.Kind) fetchers.Entry {
	e := fetchers.Entry{Name: key, Kind: fetchers.Unparsed, Size: -1}
	name, below := strings.CutPrefix(path, l.prefix)
	child, err := l.dir.Child(name)
	if !below || err != nil || kind == fetchers.Listing && path == key {
		return e
	}
	e.URL, e.Name, e.Kind = child, name, kind
	return e
}

// describe adds the fields of o to e.
func (o *Object) describe(e *fetchers.Entry) {
	e.Sys = *o
	if size, err := strconv.ParseUint(o.Size, 10, 63); err == nil {
		e.Size = int64(size)
	}
	if e.Kind == fetchers.Document {
		e.MediaType = fetchers.TypeByName(e.Name)
	}
	if at, err := time.Parse(time.RFC3339, o.LastModified); err == nil {
		e.ModTime = at.UTC()
	}
	for name, value := range map[string]string{"s3.etag": o.ETag, "s3.storage-class": o.StorageClass} {
		if value == "" {
			continue
		}
		if e.Attributes == nil {
			e.Attributes = make(map[string]string)
		}
		e.Attributes[name] = value
	}
}

// decoded decodes the escapes of encoding-type=url, in which "+" is a blank. A name with an invalid
// escape is unchanged.
func decoded(name string) string {
	if plain, err := neturl.QueryUnescape(name); err == nil {
		return plain
	}
	return name
}

// An allowance is a reader with a size limit.
type allowance struct {
	*bufio.Reader
	left int
}

func (a *allowance) ReadByte() (byte, error) {
	if a.left == 0 {
		return 0, fmt.Errorf("it has more than %d bytes", maxPage)
	}
	a.left--
	return a.Reader.ReadByte()
}
