package option

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/record"
)

// readFiles puts the fields of a file in the place of each @FILE in Headers, and notes the files.
// The error is a record.InputError for a file that cannot be read, or that has a secret and that
// other users may read, and a record.UsageError for a line that is no field.
func (a *Ask) readFiles(ctx context.Context) error {
	var fields []string
	for _, v := range a.Headers {
		if !isFile(v) {
			fields = append(fields, v)
			continue
		}
		name := v[1:]
		lines, err := readHeaderFile(ctx, name)
		if err != nil {
			return err
		}
		fields = append(fields, lines...)
		a.HeaderFiles = append(a.HeaderFiles, name)
	}
	a.Headers = fields
	return nil
}

// addFiles adds the files that --header and --cookie read, to the flags that name files.
func (a *Ask) addFiles(own map[string]string) {
	add := func(names []string, flag string) {
		for _, name := range names {
			if name != "-" {
				own[download.FinalName(name)] = flag
			}
		}
	}
	add(a.CookieFiles(), "-b")
	add(a.HeaderFiles, "-H")
}

// isFile reports whether a value of --header names a file of fields: no name has an @.
func isFile(v string) bool { return strings.HasPrefix(v, "@") }

// readHeaderFile returns the fields in a file of --header; "-" is standard input.
func readHeaderFile(ctx context.Context, name string) ([]string, error) {
	if name == "" {
		return nil, record.UsageError{Err: errors.New("-H @ without the name of a file")}
	}
	open := func() (*os.File, error) { return os.Open(name) }
	if name == "-" {
		open = func() (*os.File, error) { return os.Stdin, nil }
	}
	file, err := readUserFile(ctx, open)
	switch {
	case ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, record.InputError{Err: err}
	}
	defer file.Close()
	lines, err := headerLines(name, file.data)
	if err != nil {
		return nil, record.UsageError{Err: err}
	}
	if name != "-" && (Setting{Key: "header", Values: lines}).secret() {
		if err := CheckPrivate(file.File, "holds passwords"); err != nil {
			return nil, record.InputError{Err: err}
		}
	}
	return lines, nil
}

// headerLines returns the fields in the lines of a file. Empty lines and those that begin with #
// are ignored. An error tells the number of a line, and not its text, which may be a secret.
func headerLines(name string, data []byte) (fields []string, err error) {
	number := 0
	for line := range strings.Lines(string(data)) {
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			return nil, fmt.Errorf("%s:%d: a line that begins with a blank would go on with the field before", name, number)
		}
		if _, err := (&Ask{Headers: []string{line}}).fields(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		fields = append(fields, line)
	}
	return fields, nil
}
