package term

import (
	"os"

	"golang.org/x/term"
)

// Console is the terminal of an interactive session: standard input and standard output
// of the command.
type Console struct{ In, Out *os.File }

// Console returns the terminal for a session. It is there only if both In and Out are
// terminals.
func (s *Streams) Console() (c Console, ok bool) {
	in, isFile := s.In.(*os.File)
	out, bothAre := s.Out.(*os.File)
	if !isFile || !bothAre || !isTerminal(in) || !isTerminal(out) {
		return Console{}, false
	}
	return Console{in, out}, true
}

// Raw makes the terminal pass on each key as it is typed, without an echo. The caller
// calls restore at the end of the session: it makes the terminal as it was.
func (c Console) Raw() (restore func(), err error) {
	before, err := term.MakeRaw(int(c.In.Fd()))
	if err != nil {
		return nil, err
	}
	return func() { term.Restore(int(c.In.Fd()), before) }, nil
}

// Size returns how many columns and rows the terminal has.
func (c Console) Size() (width, height int, err error) { return term.GetSize(int(c.Out.Fd())) }
