package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// isMARC reports whether res is whole records of MARC.
func isMARC(res *fetchers.Resource) bool {
	return res.MediaType == "application/marc" && res.Range == (fetchers.Range{})
}

// showMARC writes the records of res to the terminal.
func showMARC(s *term.Streams, res *fetchers.Resource) error {
	return writeMARC(s.Sink(), s.Columns(), term.PaletteFor(s.Out), res.Body)
}

// writeMARC writes records for people: a line for each field, and a blank line between two
// records. A malformed record is no failure: the rest of the body is not shown.
func writeMARC(out io.Writer, columns int, palette term.Palette, body io.Reader) error {
	from := &source{Reader: body}
	in := bufio.NewReader(from)
	buffered := bufio.NewWriter(out)
	for first := true; ; first = false {
		record, err := marc.Read(in)
		switch {
		case err == io.EOF:
			return buffered.Flush()
		case from.err != nil:
			return errors.Join(from.err, buffered.Flush())
		case !first:
			fmt.Fprintln(buffered)
		}
		if err != nil {
			reason := err.Error()
			if err == io.ErrUnexpectedEOF {
				reason = "cut short"
			}
			fmt.Fprintln(buffered, palette.Faint("["+term.Visible(reason)+": --raw shows it as it was sent]"))
			_, err := io.Copy(io.Discard, in)
			return errors.Join(err, buffered.Flush())
		}
		fmt.Fprintln(buffered, palette.Faint(term.Visible(record.Leader)))
		for _, f := range record.Fields {
			writeField(buffered, columns, palette, f)
		}
	}
}

// textColumn is where the text of a field begins, behind its tag and its indicators.
const textColumn = 7

// writeField writes a field. A text that is too long goes on below its beginning.
func writeField(out io.Writer, columns int, palette term.Palette, f marc.Field) {
	line := term.Visible(f.String())
	at := min(textColumn, len(line))
	head, text := line[:at], line[at:]
	if f.Subfields != nil && term.Width(line) > columns {
		text = term.Wrapped(text, textColumn, columns)
	}
	fmt.Fprintln(out, strings.TrimRight(palette.Faint(head)+text, " "))
}
