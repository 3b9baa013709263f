package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/manual"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// help writes about the verb or topic that args name, or the man pages; all are the verbs.
func help(args []string, all []manual.Verb, s *term.Streams) error {
	switch {
	case len(args) == 0:
		return tell(s, manual.Help(all[0], all))
	case args[0] == "man" && len(args) == 1:
		_, err := io.WriteString(s.Sink(), manual.Page(all[0], all, version(), day()))
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

// tell writes sections of the manual.
func tell(s *term.Streams, sections []manual.Section) error {
	_, err := io.WriteString(s.Sink(), manual.PlainText(sections, s.Columns()))
	return err
}
