package option

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/writeout"
	"github.com/seed1ea3422f/fetch/record"
)

// readFormat makes Format of WriteOut, and of the file that @FILE names. As for curl, line ends in
// a file are left out. The error is a record.InputError for a file that cannot be read, and a
// record.UsageError for a format that makes no sense.
func (o *Output) readFormat(ctx context.Context) error {
	text := o.WriteOut
	if isFile(text) {
		if text == "@" {
			return record.UsageError{Err: errors.New("-w @ without the name of a file")}
		}
		open := func() (*os.File, error) { return os.Open(text[1:]) }
		if text == "@-" {
			open = func() (*os.File, error) { return os.Stdin, nil }
		}
		file, err := readUserFile(ctx, open)
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil:
			return record.InputError{Err: err}
		}
		defer file.Close()
		text = strings.NewReplacer("\r", "", "\n", "").Replace(string(file.data))
	}
	var err error
	if o.Format, err = writeout.Parse(text); err != nil {
		return record.UsageError{Err: fmt.Errorf("-w: %w", err)}
	}
	return nil
}
