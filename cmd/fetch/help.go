package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/manual"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// help writes the help about the command, group, flag or topic in args, or the man pages. all has
// every verb.
func help(args []string, all []manual.Verb, s *term.Streams) error {
	switch {
	case len(args) == 0:
		return tell(s, manual.Short(all))
	case args[0] == "man" && len(args) == 1:
		_, err := io.WriteString(s.Sink(), manual.Page(all[0], all, version(), day()))
		return err
	case args[0] == "man" && len(args) == 2 && named(all, args[1]) != nil:
		_, err := io.WriteString(s.Sink(), manual.Page(*named(all, args[1]), all, version(), day()))
		return err
	case args[0] == "man" && len(args) == 2:
		return manual.WritePages(args[1], all, version(), day())
	case len(args) > 1:
		return record.UsageError{Err: fmt.Errorf("help is about one thing, not about %q", url.Redact(strings.Join(args, " ")))}
	}
	if about, ok := manual.About(args[0], all); ok {
		return tell(s, about)
	}
	return record.UsageError{Err: fmt.Errorf("no help about %q; try fetch help", url.Redact(args[0]))}
}

// named returns the verb with a name, or nil.
func named(all []manual.Verb, name string) *manual.Verb {
	for i := range all[1:] {
		if all[i+1].Name == name {
			return &all[i+1]
		}
	}
	return nil
}

// tell writes sections of the manual.
func tell(s *term.Streams, sections []manual.Section) error {
	_, err := io.WriteString(s.Sink(), manual.PlainText(sections, s.Columns()))
	return err
}
