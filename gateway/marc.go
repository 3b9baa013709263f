package gateway

import (
	"bufio"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/z3950/marc"
)

// marc writes records of a catalogue to a page, a line for each field.
func (x *exchange) marc(out io.Writer, res *fetchers.Resource) error {
	in := bufio.NewReader(res.Body)
	for {
		record, err := marc.Read(in)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := render(out, "marc", record); err != nil {
			return err
		}
	}
}
