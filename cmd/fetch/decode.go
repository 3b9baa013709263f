package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/message"
)

// A decoder writes the files that are in messages. A file may be spread over several
// of them, and gets its name when all of it is there.
type decoder struct {
	on bool

	mu      sync.Mutex
	waiting []*assembly // for their other parts
}

// pieced is what the parts of a file have in common.
type pieced struct {
	name string
	size int64
}

// An assembly is a file of which some parts are there.
type assembly struct {
	pieced
	part  *download.Part
	taken []fetchers.Range // by parts that are there, or are being written
	there int64            // how much is
}

func (d *decoder) add(flags *pflag.FlagSet) {
	flags.BoolVar(&d.on, "decode", false, "write the files in articles and messages: MIME, yEnc, uuencode")
}

// decode writes the files that are in the message of a job, or in each of a listing.
func (a *app) decode(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := a.files.intoDir(); err != nil {
		return nil, err
	}
	res, err := a.conditional().Fetch(ctx, req)
	if err != nil {
		return res, err
	}
	defer res.Close()
	switch {
	case res.Kind == fetchers.Listing:
		return res, a.decodeEach(ctx, req, res)
	case res.Kind != fetchers.Document:
		return res, a.deliverable(res)
	case res.MediaType != "" && res.MediaType != "message/rfc822":
		return res, usageError{fmt.Errorf("%s: --decode is for messages, and this is %s", res.URL.Redacted(), res.MediaType)}
	}
	return res, a.decoder.take(res, a.files.dir)
}

// intoDir makes the directory for the files, if it is to be made.
func (f *fileFlags) intoDir() error {
	if f.dir == "" || !f.createDirs {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return writeError{err}
	}
	return nil
}

// decodeEach does so for the messages of a listing, and tries all of them. The first
// failure is returned, the others are reported.
func (a *app) decodeEach(ctx context.Context, req *fetchers.Request, listing *fetchers.Resource) (first error) {
	for e, err := range listing.Entries() {
		if err != nil {
			return fetchers.NewError("list", listing.URL, err)
		}
		if e.MediaType != "message/rfc822" || e.URL == nil {
			continue
		}
		entry := &fetchers.Request{URL: e.URL, Named: req.Named, Login: req.Login}
		if e.URL.Addr() != req.URL.Addr() {
			entry = entry.FromStranger()
		}
		res, err := a.limited.Fetch(ctx, entry)
		if err == nil {
			err = a.decoder.take(res, a.files.dir)
			res.Close()
		}
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil && first == nil:
			first = err
		default:
			a.complain(err)
		}
	}
	return first
}

// maxFiles bounds the files of one message: each may be a few octets.
const maxFiles = 1000

// take writes the files in one message into a directory.
func (d *decoder) take(res *fetchers.Resource, dir string) error {
	in := message.NewFileReader(res.Body)
	for n := 1; ; n++ {
		f, err := in.Next()
		switch {
		case err == nil && n > maxFiles:
			err = fmt.Errorf("%w: more than %d files in one message", fetchers.ErrTooLarge, maxFiles)
		case err == nil:
			err = d.file(f, n, dir)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fetchers.NewError("decode", res.URL, err)
		}
	}
}

// file writes a file, the nth of its message.
func (d *decoder) file(f *message.File, n int, dir string) error {
	name := filepath.Join(dir, fileName(f, n))
	if f.Piece != nil && (f.Piece.Offset > 0 || f.Piece.Length < f.Piece.Size) {
		return d.piece(f, name)
	}
	part, err := download.CreateBeside(name)
	if err != nil {
		return writeError{err}
	}
	if _, err := io.Copy(sink{part}, f.Body); err != nil {
		part.Discard()
		return err
	}
	if _, err := part.CommitBeside(); err != nil {
		return writeError{err}
	}
	return nil
}

// fileName returns a safe name for a file.
func fileName(f *message.File, n int) string {
	if f.Name != "" {
		return download.SafeName(f.Name)
	}
	extension := ".bin"
	switch f.MediaType {
	case "text/plain":
		extension = ".txt"
	case "text/html":
		extension = ".html"
	case "image/gif", "image/png", "image/jpeg":
		extension = "." + strings.TrimPrefix(f.MediaType, "image/")
	case "message/rfc822":
		extension = ".eml"
	}
	return fmt.Sprintf("part-%d%s", n, extension)
}

// piece writes a part of a file to where it belongs in it. The file gets its name
// after the last part.
func (d *decoder) piece(f *message.File, name string) error {
	span := fetchers.Range{Offset: f.Piece.Offset, Length: f.Piece.Length}
	as, fresh, err := d.reserve(pieced{name, f.Piece.Size}, span)
	if err != nil {
		return err
	}
	if fresh {
		// More than was announced is not written, and is an error of the Body.
		w := io.NewOffsetWriter(as.part, span.Offset)
		_, err = io.Copy(sink{w}, io.LimitReader(f.Body, span.Length))
	}
	if err == nil {
		_, err = io.Copy(io.Discard, f.Body)
	}
	if err != nil {
		err = fmt.Errorf("%s, part %d: %w", filepath.Base(name), f.Piece.Number, err)
	}
	if !fresh {
		return err
	}
	return d.wrote(as, span, err)
}

// maxAssemblies bounds the files that wait for their other parts, each of which is
// open.
const maxAssemblies = 100

// reserve returns the file that a part belongs to. The part is not fresh if it is
// there already, or is being written: it might be worse than that one.
func (d *decoder) reserve(k pieced, span fetchers.Range) (as *assembly, fresh bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.waiting, func(as *assembly) bool { return as.pieced == k })
	if i < 0 {
		if len(d.waiting) == maxAssemblies {
			return nil, false, writeError{fmt.Errorf("%s: %d files wait for their other parts, and that is enough", k.name, maxAssemblies)}
		}
		part, err := download.CreateBeside(k.name)
		if err != nil {
			return nil, false, writeError{err}
		}
		i = len(d.waiting)
		d.waiting = append(d.waiting, &assembly{pieced: k, part: part})
	}
	as = d.waiting[i]
	for _, taken := range as.taken {
		switch {
		case taken == span:
			return as, false, nil
		case span.Offset < taken.Offset+taken.Length && taken.Offset < span.Offset+span.Length:
			return nil, false, fmt.Errorf("%w: %s: its parts overlap", message.ErrMalformed, filepath.Base(k.name))
		}
	}
	as.taken = append(as.taken, span)
	return as, true, nil
}

// wrote takes note of a part that was written, unless err says that it was not.
func (d *decoder) wrote(as *assembly, span fetchers.Range, err error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		as.taken = slices.DeleteFunc(as.taken, func(taken fetchers.Range) bool { return taken == span })
		return err
	}
	if as.there += span.Length; as.there < as.size {
		return nil
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(other *assembly) bool { return other == as })
	if _, err := as.part.CommitBeside(); err != nil {
		return writeError{err}
	}
	return nil
}

// finish gives up the files of which not all parts came.
func (d *decoder) finish() error {
	var failed []error
	for _, as := range d.waiting {
		as.part.Discard()
		failed = append(failed, fmt.Errorf("%s: %w: only %d of its %d bytes are in these messages", as.name, io.ErrUnexpectedEOF, as.there, as.size))
	}
	return errors.Join(failed...)
}
