package term

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// maxAnswer is how long an answer may be, in bytes.
const maxAnswer = 64 << 10

// CanAsk reports whether a person can be asked. Questions go to standard error, and
// answers come from standard input, so both have to be terminals.
func (s *Streams) CanAsk() bool { return s.answerTerminal() != nil }

// answerTerminal returns the terminal that answers come from, or nil.
func (s *Streams) answerTerminal() *os.File {
	in, ok := s.In.(*os.File)
	if !ok || s.settings.StdinIsList || !isTerminal(in) || !IsTerminal(s.Err) {
		return nil
	}
	return in
}

// Ask asks the person at the terminal for a line, one question at a time, and returns
// the line without its end. The terminal does not echo the answer if that is to be
// hidden. If ctx ends before the answer, Ask returns its cause, and the terminal is as
// it was.
func (s *Streams) Ask(ctx context.Context, text string, hidden bool) (string, error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	in := s.answerTerminal()
	if in == nil {
		return "", errors.New("no terminal to ask at")
	}
	state, err := term.GetState(int(in.Fd()))
	if err != nil {
		return "", err
	}
	fmt.Fprint(s.Err, Visible(text))
	type reply struct {
		line string
		err  error
	}
	answered := make(chan reply, 1)
	go func() {
		if hidden {
			secret, err := term.ReadPassword(int(in.Fd()))
			fmt.Fprintln(s.Err)
			answered <- reply{string(secret), err}
			return
		}
		line, err := typedLine(in)
		answered <- reply{line, err}
	}()
	select {
	case r := <-answered:
		return r.line, r.err
	case <-ctx.Done(): // the reader stays behind, as the program is about to end
		term.Restore(int(in.Fd()), state)
		fmt.Fprintln(s.Err)
		return "", context.Cause(ctx)
	}
}

// typedLine reads a line and nothing after it.
func typedLine(in io.Reader) (string, error) {
	var line []byte
	for c := make([]byte, 1); len(line) < maxAnswer; {
		n, err := in.Read(c)
		switch {
		case n == 1 && c[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, c[0])
		case err == io.EOF:
			return "", errors.New("no answer")
		case err != nil:
			return "", err
		}
	}
	return "", fmt.Errorf("the line has more than %d bytes", maxAnswer)
}
