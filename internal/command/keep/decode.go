package keep

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/message"
	"github.com/seed1ea3422f/fetch/record"
)

// messageType is the media type of the content that --decode takes files from.
const messageType = "message/rfc822"

// maxFiles bounds the files of one message: each may be a few octets.
const maxFiles = 1000

// Decode fetches the message that req asks for, or each message of a listing, and writes the
// files in it into a directory, "" for the working one. If a file is spread over several
// messages, it gets its name after its last part; see Finish. The Resource is closed.
func (f *Files) Decode(ctx context.Context, req *fetchers.Request, dir string) (*fetchers.Resource, error) {
	if dir != "" {
		if err := f.makeDir(dir); err != nil {
			return nil, err
		}
	}
	res, err := f.stack.Conditional.Fetch(ctx, req)
	if err != nil {
		return res, err
	}
	defer res.Close()
	switch {
	case res.Kind == fetchers.Listing:
		return res, f.decodeEach(ctx, req, res, dir)
	case res.Kind != fetchers.Document:
		return res, f.stack.CheckDelivery(res)
	case res.MediaType != "" && res.MediaType != messageType:
		return res, record.UsageError{Err: fmt.Errorf("%s: --decode is for messages, and this is %s", res.URL.Redacted(), res.MediaType)}
	}
	return res, f.take(res, dir)
}

// decodeEach writes the files in the messages of a listing. If one fails, the others are
// still fetched: the first failure is returned, and the others are reported.
func (f *Files) decodeEach(ctx context.Context, req *fetchers.Request, listing *fetchers.Resource, dir string) (first error) {
	for e, err := range listing.Entries() {
		if err != nil {
			return fetchers.NewError("list", listing.URL, err)
		}
		if e.MediaType != messageType || e.URL == nil {
			continue
		}
		entry := &fetchers.Request{URL: e.URL, Named: req.Named, Login: req.Login}
		if e.URL.Addr() != req.URL.Addr() {
			entry = entry.FromStranger()
		}
		err := f.decodeOne(ctx, entry, dir)
		switch {
		case ctx.Err() != nil:
			return err
		case first == nil:
			first = err
		default:
			f.streams.Complain(err)
		}
	}
	return first
}

// decodeOne writes the files in one message of a listing.
func (f *Files) decodeOne(ctx context.Context, req *fetchers.Request, dir string) error {
	res, err := f.stack.Fetcher.Fetch(ctx, req)
	if err != nil {
		return err
	}
	defer res.Close()
	return f.take(res, dir)
}

// take writes the files in one message into a directory.
func (f *Files) take(res *fetchers.Resource, dir string) error {
	in := message.NewFileReader(res.Body)
	for n := 1; ; n++ {
		m, err := in.Next()
		switch {
		case err == io.EOF:
			return nil
		case err == nil && n > maxFiles:
			err = fmt.Errorf("%w: more than %d files in one message", fetchers.ErrTooLarge, maxFiles)
		case err == nil:
			err = f.takeFile(m, filepath.Join(dir, fileName(m, n)))
		}
		if err != nil {
			return fetchers.NewError("decode", res.URL, err)
		}
	}
}

// takeFile writes a file of a message, or a part of it. A file that has the name stays, and
// the new one gets a number.
func (f *Files) takeFile(m *message.File, name string) error {
	if p := m.Piece; p != nil && (p.Offset > 0 || p.Length < p.Size) {
		return f.waiting.add(m, name)
	}
	part, err := download.CreateBeside(name)
	if err != nil {
		return record.OutputError{Err: err}
	}
	if _, err := io.Copy(term.Output(part), m.Body); err != nil {
		part.Discard()
		return err
	}
	if _, err := part.CommitBeside(); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// fileName returns a safe name for the nth file of a message.
func fileName(m *message.File, n int) string {
	if m.Name != "" {
		return download.SafeName(m.Name)
	}
	extension := ".bin"
	switch m.MediaType {
	case "text/plain":
		extension = ".txt"
	case "text/html":
		extension = ".html"
	case "image/gif", "image/png", "image/jpeg":
		extension = "." + strings.TrimPrefix(m.MediaType, "image/")
	case messageType:
		extension = ".eml"
	}
	return fmt.Sprintf("part-%d%s", n, extension)
}
