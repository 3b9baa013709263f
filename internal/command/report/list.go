package report

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// List writes the entries of a Listing to standard output, or the one entry that any other
// Resource is: as JSON, one a line, with --json, in columns at a terminal, and with TABs
// elsewhere. With --raw it writes the Body. The caller closes res.
func List(s *term.Streams, o option.Output, res *fetchers.Resource) error {
	switch {
	case o.Raw, res.Kind == fetchers.Listing && !o.JSON:
		return Show(s, o, res, false)
	case o.JSON:
		return writeRows(jsonRows{s}, res)
	case s.OutIsTerminal():
		return showTable(s, res)
	}
	return writeRows(tabRows{s.Sink()}, res)
}

// rows writes entries in some form.
type rows interface {
	row(e *fetchers.Entry) error
}

// writeRows writes the entries of a Listing, or the one entry that any other Resource is.
func writeRows(to rows, res *fetchers.Resource) error {
	if res.Kind != fetchers.Listing {
		return to.row(&fetchers.Entry{
			URL: res.URL, Name: res.URL.Base(), Kind: res.Kind, MediaType: res.MediaType,
			Size: res.Size, ModTime: res.Validator.ModTime,
		})
	}
	for e, err := range res.Entries() {
		if err != nil {
			return fetchers.NewError("list", res.URL, err)
		}
		if err := to.row(&e); err != nil {
			return err
		}
	}
	return nil
}

// tabRows are entries for programs: kind, size, time, name and URL between TABs.
type tabRows struct{ w io.Writer }

func (t tabRows) row(e *fetchers.Entry) error {
	_, err := fmt.Fprintf(t.w, "%s\t%s\t%s\t%s\t%s\n", e.Kind, sizeOf(e), timeOf(e, time.RFC3339), term.Visible(e.Name), term.Visible(urlOf(e)))
	return err
}

func sizeOf(e *fetchers.Entry) string {
	if e.Size < 0 {
		return "-"
	}
	return strconv.FormatInt(e.Size, 10)
}

// timeOf returns the time of an entry in a layout, or only its date if the server tells no more.
func timeOf(e *fetchers.Entry, layout string) string {
	switch {
	case e.ModTime.IsZero():
		return "-"
	case e.DateOnly:
		layout = time.DateOnly
	}
	return e.ModTime.UTC().Format(layout)
}

func urlOf(e *fetchers.Entry) string {
	if e.URL == nil {
		return "-"
	}
	return e.URL.WithoutPassword().Redacted()
}

// jsonRows are entries as JSON, one a line.
type jsonRows struct{ s *term.Streams }

func (j jsonRows) row(e *fetchers.Entry) error { return JSON(j.s, record.EntryOf(e)) }
