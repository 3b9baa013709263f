package http

import (
	"bufio"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"iter"
	nethttp "net/http"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// List requests the entries of the directory that req names from a WebDAV server (RFC 4918, section
// 9.1). The URL must end in a slash; Range, Have and Describe are ignored. The Resource is a
// Listing, or a Redirect.
//
// If the server does not support WebDAV, the error is a refusal or ErrProtocol. The page of the URL
// may still be an [Index].
func (f *Fetcher) List(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	if req.Named == fetchers.ByStranger {
		req = req.FromStranger() // a Client does so too, but may be absent
	}
	what, err := req.URL.HTTP()
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	if path, _, _ := strings.Cut(what.Target, "?"); !strings.HasSuffix(path, "/") {
		return nil, fetchers.NewError("list", req.URL, fmt.Errorf("%w: not the URL of a directory, which ends in a slash", fetchers.ErrProtocol))
	}
	if to := f.HSTS.Upgrade(req.URL); to != nil {
		return upgraded(req, to), nil
	}
	whole := *req
	whole.Range, whole.Have, whole.Describe, whole.NoFail = fetchers.Range{}, fetchers.Validator{}, false, false
	res, err := f.propfind(ctx, &whole, what)
	if err != nil {
		return nil, fetchers.NewError(operation(err), req.URL, f.blame(req.URL, err))
	}
	return res, nil
}

// wanted is the body of the request. It names only properties that a server need not compute.
const wanted = `<?xml version="1.0" encoding="utf-8"?>` + "\n" +
	`<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/><getetag/><getcontenttype/></prop></propfind>` + "\n"

func (f *Fetcher) propfind(ctx context.Context, req *fetchers.Request, what url.HTTP) (*fetchers.Resource, error) {
	x, err := f.exchange(ctx, "PROPFIND", req, what)
	if err != nil {
		return nil, err
	}
	r := x.request
	r.Header.Set("Depth", "1")
	r.Header.Set("Content-Type", "application/xml; charset=utf-8")
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(wanted)), nil }
	r.ContentLength = int64(len(wanted))
	resp, err := f.do(x)
	if err != nil {
		return nil, err
	}
	res, err := resource(req, resp)
	if err == nil && res.Kind != fetchers.Redirect && resp.StatusCode != nethttp.StatusMultiStatus {
		err = fmt.Errorf("%w: %d %s to PROPFIND", fetchers.ErrProtocol, res.Reply.Code, res.Reply.Text)
	}
	if err != nil {
		discard(resp.Body)
		return nil, err
	}
	if res.Kind != fetchers.Redirect {
		base := req.URL
		res.Kind = fetchers.Listing
		res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] { return ParseMultistatus(base, body) }
	}
	return res, nil
}

// A davResponse describes one resource (RFC 4918, section 14.24).
type davResponse struct {
	Href     string `xml:"DAV: href"`
	Propstat []struct {
		Status string  `xml:"DAV: status"`
		Prop   davProp `xml:"DAV: prop"`
	} `xml:"DAV: propstat"`
}

type davProp struct {
	Type struct {
		Collection *struct{} `xml:"DAV: collection"`
	} `xml:"DAV: resourcetype"`
	Length    string `xml:"DAV: getcontentlength"`
	Modified  string `xml:"DAV: getlastmodified"`
	ETag      string `xml:"DAV: getetag"`
	MediaType string `xml:"DAV: getcontenttype"`
}

// maxElement bounds the bytes of an element with its content, and thereby every token and the depth
// of nesting.
const maxElement = 64 << 10

// ParseMultistatus reads the entries of a 207 response to a PROPFIND of the directory base. The
// directory itself is left out. A resource outside the directory becomes an Unparsed entry. Only
// the path of an href is compared, since a server behind a proxy writes its own host name.
func ParseMultistatus(base *url.URL, body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		dir, err := base.Resolve("./")
		if err != nil {
			yield(fetchers.Entry{}, err)
			return
		}
		m := multistatus{in: &allowance{Reader: bufio.NewReader(body)}}
		m.xml = xml.NewDecoder(m.in)
		for err := m.open(); ; {
			var r davResponse
			if err == nil {
				r, err = m.next()
			}
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(fetchers.Entry{}, davError(err))
				return
			}
			if e, ok := r.entry(dir); ok && !yield(e, nil) {
				return
			}
		}
	}
}

// A multistatus is the state of parsing a 207 response.
type multistatus struct {
	in  *allowance
	xml *xml.Decoder
}

// start reads up to the next start of an element, or the end.
func (m *multistatus) start() (xml.StartElement, error) {
	for {
		m.in.left = maxElement
		t, err := m.xml.Token()
		if err != nil {
			return xml.StartElement{}, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return t, nil
		case xml.Directive:
			return xml.StartElement{}, errors.New("a document type declaration is not allowed")
		}
	}
}

// open reads the root element.
func (m *multistatus) open() error {
	root, err := m.start()
	if err == io.EOF || err == nil && root.Name != davName("multistatus") {
		return errors.New("no multistatus element")
	}
	return err
}

// next reads the next response element. It returns io.EOF at the end of a complete document.
func (m *multistatus) next() (r davResponse, err error) {
	for {
		start, err := m.start()
		switch {
		case err != nil:
			return r, err
		case start.Name == davName("response"):
			return r, m.xml.DecodeElement(&r, &start)
		}
		if err := m.xml.Skip(); err != nil {
			return r, err
		}
	}
}

func davName(local string) xml.Name { return xml.Name{Space: "DAV:", Local: local} }

// entry returns r as an entry of dir. It returns false if r describes dir itself.
func (r *davResponse) entry(dir *url.URL) (e fetchers.Entry, ok bool) {
	href := strings.TrimSpace(r.Href)
	e = fetchers.Entry{Name: href, Kind: fetchers.Unparsed, Size: -1}
	u, err := dir.Resolve(href)
	if err != nil {
		return e, true
	}
	if samePath(strings.TrimSuffix(u.Path, "/")+"/", dir.Path) {
		return e, false
	}
	child, name, ok := childOf(dir, u)
	if !ok {
		return e, true
	}
	e.URL, e.Name, e.Kind = child, name, fetchers.Unknown
	for _, p := range r.Propstat {
		if _, status, _ := strings.Cut(p.Status, " "); strings.HasPrefix(status, "2") {
			p.Prop.describe(&e)
		}
	}
	return e, true
}

// describe adds the properties of p to e.
func (p *davProp) describe(e *fetchers.Entry) {
	if p.Type.Collection != nil {
		e.Kind, e.Size, e.MediaType = fetchers.Listing, -1, ""
		if !strings.HasSuffix(e.URL.Path, "/") {
			e.URL.Path += "/"
		}
	} else if e.Kind == fetchers.Unknown {
		e.Kind, e.MediaType = fetchers.Document, fetchers.TypeByName(e.Name)
	}
	if t, err := nethttp.ParseTime(p.Modified); err == nil {
		e.ModTime = t
	}
	if p.ETag != "" {
		e.Attributes = map[string]string{"http.etag": p.ETag}
	}
	if e.Kind == fetchers.Listing {
		return
	}
	if size, err := number(p.Length); err == nil {
		e.Size = size
	}
	if mediaType, _, _ := strings.Cut(p.MediaType, ";"); mediaType != "" {
		e.MediaType = strings.ToLower(strings.TrimSpace(mediaType))
	}
}

// davError makes a syntax error an ErrProtocol. An error of the Body has its class already.
func davError(err error) error {
	var known *fetchers.Error
	if errors.As(err, &known) {
		return err
	}
	return fmt.Errorf("%w: multistatus: %w", fetchers.ErrProtocol, err)
}

// An allowance returns an error after left bytes.
type allowance struct {
	*bufio.Reader
	left int
}

func (a *allowance) ReadByte() (byte, error) {
	if a.left == 0 {
		return 0, fmt.Errorf("an element of more than %d bytes", maxElement)
	}
	a.left--
	return a.Reader.ReadByte()
}
