package conformance_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// The toy protocol: the client sends a path and LF, the server sends a length,
// LF and that many bytes, or "none" and LF, or "moved" and LF if a slash is missing. Its
// directories are lists of URLs.

// serveToy answers for docs until the test ends. It sends half of the document
// /stalled, and waits, and half of /cut.
func serveToy(t *testing.T, docs map[string]string) *url.URL {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	answer := func(c net.Conn) {
		defer c.Close()
		path, err := bufio.NewReader(c).ReadString('\n')
		if err != nil {
			return
		}
		name := strings.TrimSpace(path)
		doc, ok := docs[name]
		if _, directory := docs[name+"/"]; !ok && directory {
			io.WriteString(c, "moved\n")
			return
		}
		if !ok {
			io.WriteString(c, "none\n")
			return
		}
		size := len(doc)
		switch path {
		case "/cut\n", "/stalled\n":
			doc = doc[:size/2]
		}
		fmt.Fprintf(c, "%d\n%s", size, doc)
		if path == "/stalled\n" {
			c.Read(make([]byte, 1)) // until the client goes
		}
	}
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { answer(c) })
		}
	})
	return &url.URL{Scheme: "toy", Slashes: true, Authority: url.Authority{
		Host: "127.0.0.1", Port: uint16(l.Addr().(*net.TCPAddr).Port),
	}}
}

// A toy fetches toy URLs. Its field selects a fault.
type toy struct{ broken string }

func (f toy) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil && f.broken != "nil" {
		return nil, err
	}
	res, err := f.fetch(ctx, req)
	switch {
	case err == nil, f.broken == "bare error":
		return res, err
	case f.broken == "password":
		return nil, &fetchers.Error{Op: "fetch", URL: req.URL.String(), Err: err}
	}
	return nil, fetchers.NewError("fetch", req.URL, err)
}

func (f toy) fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if req.URL.Scheme != "toy" && f.broken != "scheme" {
		return nil, errors.New("not a toy URL")
	}
	switch f.broken {
	case "context":
		ctx = context.Background()
	case "request":
		req.Header.Del("X-Test")
	case "leak":
		go func() { select {} }()
	case "trace":
		if req.URL.User != nil {
			fetchers.ContextTrace(ctx).Sent(req.URL.String())
		}
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", req.URL.Addr())
	if err != nil {
		return nil, err
	}
	b := &toyBody{ctx: ctx, c: c, broken: f.broken, release: context.AfterFunc(ctx, func() { c.Close() })}
	fmt.Fprintf(c, "%s\n", req.URL.Path)
	r := bufio.NewReader(c)
	head, err := r.ReadString('\n')
	if err == nil && head == "moved\n" {
		b.Close()
		res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Redirect, Size: -1, Location: req.URL.Directory()}
		res.SetBody(nil)
		return res, nil
	}
	if err != nil || head == "none\n" {
		b.Close()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err == nil && f.broken != "missing":
			err = fs.ErrNotExist
		case err == nil:
			err = errors.New("what?")
		}
		return nil, err
	}
	fmt.Sscan(head, &b.left)
	b.Reader = r

	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, Size: b.left}
	if strings.HasSuffix(req.URL.Path, "/") && f.broken != "list" {
		res.Kind, res.Size, res.Parse = fetchers.Listing, -1, parseToy
	}
	switch f.broken {
	case "range":
		res.Range = req.Range // and sends all of it
	case "size":
		res.Size++
	}
	res.SetBody(b)
	if req.Describe && f.broken != "describe" {
		b.Close()
		res.SetBody(nil)
	}
	switch f.broken {
	case "nil body":
		b.Close()
		res.Body = nil
	case "confirmed":
		res.Confirmed = func() bool { return true }
	}
	return res, nil
}

type toyBody struct {
	io.Reader
	ctx     context.Context
	c       net.Conn
	release func() bool
	broken  string
	left    int64
}

func (b *toyBody) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.Reader.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	switch {
	case b.broken == "corrupt":
		clear(p[:n])
	case b.ctx.Err() != nil:
		err = b.ctx.Err()
	case err == io.EOF && b.broken != "truncate":
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (b *toyBody) Close() error {
	if b.broken == "drain" {
		io.Copy(io.Discard, b)
	}
	b.release()
	return b.c.Close()
}

func parseToy(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			u, err := url.Parse(lines.Text())
			if err != nil {
				yield(fetchers.Entry{}, err)
				return
			}
			e := fetchers.Entry{URL: u, Name: path.Base(u.Path), Kind: fetchers.Document, Size: -1}
			if strings.HasSuffix(u.Path, "/") {
				e.Kind = fetchers.Listing
			}
			if !yield(e, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(fetchers.Entry{}, err)
		}
	}
}
