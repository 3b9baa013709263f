package report

import (
	"context"
	"io"
	"os"
	"sync"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A dump writes the heads of all answers to the places of --dump-header and --show-headers. A nil
// *dump writes nothing.
type dump struct {
	mu     sync.Mutex
	places []io.Writer
	file   *os.File // one of places, or nil
	err    error    // of the first head that could not be written
}

// openDump opens the file of --dump-header, which other users may not read: cookies are logins.
// Without a place it returns nil.
func openDump(ctx context.Context, o *option.Output, s *term.Streams) (*dump, error) {
	d := new(dump)
	switch name := o.DumpHeader; name {
	case "":
	case "-":
		d.places = append(d.places, s.Out)
	case "/dev/stderr": // to open it empties a file that has it
		d.places = append(d.places, s.Err)
	default:
		f, err := pipe.Open(ctx, func() (*os.File, error) { return download.OpenInPlace(name) })
		if err != nil {
			return nil, record.OutputError{Err: err}
		}
		d.file, d.places = f, append(d.places, f)
	}
	if o.ShowHeaders {
		d.places = append(d.places, s.Out)
	}
	if d.places == nil {
		return nil, nil
	}
	return d, nil
}

// write writes a head in one piece, though other goroutines do the same. The error is a
// record.OutputError about this head, or one before it.
func (d *dump) write(h head) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, place := range d.places {
		if d.err == nil {
			d.err = h.writeTo(place)
		}
	}
	return d.err
}

// close ends the file. The error is a record.OutputError.
func (d *dump) close() error {
	if d == nil || d.file == nil {
		return nil
	}
	err := d.file.Close()
	if d.file = nil; err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// heads passes on the heads of the answers to one fetch: of each redirection that is followed,
// once, and of the last answer.
type heads struct {
	to *dump

	mu       sync.Mutex
	leaving  map[string]head // of redirections that are about to be followed, by their URLs
	answered bool            // the last one was passed on
}

// got notes an answer for u.
func (h *heads) got(u *url.URL, res *fetchers.Resource) {
	if res == nil || res.Kind != fetchers.Redirect {
		return
	}
	if answer, ok := headOf(res, nil); ok {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.leaving == nil {
			h.leaving = make(map[string]head)
		}
		h.leaving[u.String()] = answer
	}
}

// follow notes that the redirection from u is followed; first reports that for the first time.
func (h *heads) follow(u *url.URL, first bool) {
	h.mu.Lock()
	answer, ok := h.leaving[u.String()]
	delete(h.leaving, u.String())
	h.mu.Unlock()
	if ok && first {
		h.to.write(answer) // end reports the error again
	}
}

// end notes the answer that a fetch has ended with, before or after its Body was read. The error is
// the error of writing.
func (h *heads) end(res *fetchers.Resource, err error) error {
	answer, ok := headOf(res, err)
	if h.to == nil || h.answered || !ok {
		return nil
	}
	h.answered = true
	return h.to.write(answer)
}
