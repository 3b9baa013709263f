// Package term holds the three streams of the command, and all that it knows about a
// terminal: its width, its colours, its escapes, its questions and its progress bars.
package term

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/seed1ea3422f/fetch/record"
)

// Streams are standard input, standard output and standard error of one run. A run
// makes them once, and only reads them after that. The methods may be called at the
// same time by many goroutines.
type Streams struct {
	In  io.Reader
	Out io.Writer // results
	Err io.Writer // messages; after With they stand above the progress bars

	// Progress shows how far downloads are. It is never nil, and shows nothing before
	// With.
	Progress *Progress

	settings Settings
	asking   *sync.Mutex // held during a question
	lines    *sync.Mutex // held while a line goes to Out
}

// Settings are the flags about the streams.
type Settings struct {
	Silent    bool // Say and Complain write nothing
	ShowError bool // Complain writes even so
	Verbose   bool // Remark and Aloud write

	// Progress is the style of Streams.Progress: "bar", "plain", "none", or "auto", which
	// is "bar" at a terminal. "" is "none".
	Progress string

	// StdinIsList says that standard input has the URLs of the run, or the values of a flag,
	// and so no answers.
	StdinIsList bool
}

// New returns the streams of a run whose flags are not known yet: neither silent nor
// verbose, and without progress.
func New(in io.Reader, out, err io.Writer) *Streams {
	return &Streams{
		In: in, Out: out, Err: err,
		Progress: &Progress{style: "none", out: err},
		asking:   new(sync.Mutex),
		lines:    new(sync.Mutex),
	}
}

// With returns the same streams with settings. Its Err goes through its Progress, which
// the caller closes at the end of the run.
func (s *Streams) With(settings Settings) *Streams {
	set := *s
	set.settings = settings
	set.Progress = newProgress(s.Progress.out, settings, s.asking)
	set.Err = set.Progress
	return &set
}

// Say writes a line for the user to Err, unless the run is silent. No part of the line
// can pose as something else: it is Visible.
func (s *Streams) Say(format string, args ...any) {
	if !s.settings.Silent {
		fmt.Fprintf(s.Err, "%s\n", Visible(fmt.Sprintf(format, args...)))
	}
}

// Remark writes a line about the course of the run, "* ...", if the run is verbose.
func (s *Streams) Remark(format string, args ...any) {
	if s.settings.Verbose {
		s.Aloud("*", fmt.Sprintf(format, args...))
	}
}

// Aloud writes text behind a mark, if the run is verbose. The marks are "*" for a
// remark, ">" for a line that was sent and "<" for one that came.
func (s *Streams) Aloud(mark, text string) {
	if s.settings.Verbose {
		fmt.Fprintf(s.Err, "%s %s\n", mark, Visible(text))
	}
}

// Complain writes a failure to Err, "fetch: ...", and its hints below it. A terminal also gets
// the first lines of a text that came with the refusal of a server. A silent run
// writes it only if ShowError is set, or if it is a record.UsageError: a user who wants no
// messages still hears of a command line that makes no sense. A nil error is no failure.
func (s *Streams) Complain(err error) {
	_, usage := errors.AsType[record.UsageError](err)
	if err == nil || s.settings.Silent && !s.settings.ShowError && !usage {
		return
	}
	colours := PaletteFor(s.Err)
	fmt.Fprintf(s.Err, "%s %s\n", colours.Alarm("fetch:"), Visible(s.Words(err)))
	if IsTerminal(s.Err) && !s.settings.Silent {
		for _, line := range excerpt(err) {
			fmt.Fprintf(s.Err, "fetch: %s\n", colours.Faint("| "+Visible(line)))
		}
	}
	next := hints(err)
	if h, ok := errors.AsType[Hinted](err); ok {
		next = h.Hints
	}
	for _, line := range next {
		fmt.Fprintf(s.Err, "fetch: %s\n", Visible(line))
	}
}

// Words returns the text of an error in one line: in plain words, or as it is if the run is
// verbose.
func (s *Streams) Words(err error) string {
	if s.settings.Verbose {
		return OneLine(err)
	}
	return Words(err)
}

// WriteLine writes text and a line end to Out in one piece, though other goroutines do
// the same. The error is a record.OutputError. WriteLine does not keep text.
func (s *Streams) WriteLine(text []byte) error {
	return s.WriteText(string(text) + "\n")
}

// WriteText is WriteLine without the line end. An empty text is not written.
func (s *Streams) WriteText(text string) error {
	if text == "" {
		return nil
	}
	s.lines.Lock()
	defer s.lines.Unlock()
	_, err := io.WriteString(s.Sink(), text)
	return err
}

// Sink returns Out with its errors as those of Output.
func (s *Streams) Sink() io.Writer { return Output(s.Out) }

// OutIsTerminal reports whether results go to a terminal.
func (s *Streams) OutIsTerminal() bool { return IsTerminal(s.Out) }

// Columns returns the width of the terminal that results go to, or 0 if they go
// elsewhere.
func (s *Streams) Columns() int { return Columns(s.Out) }

// Output returns a Writer to w whose errors are a record.OutputError: a copy mixes them
// with the failures of a server.
func Output(w io.Writer) io.Writer { return output{w} }

type output struct{ w io.Writer }

func (o output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		err = record.OutputError{Err: err}
	}
	return n, err
}
