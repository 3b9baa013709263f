// Package writeout reads the format of --write-out, which is that of curl.
//
//	%{NAME}          a variable
//	%header{NAME}    a header field of the answer
//	%{stderr}        write the rest to standard error
//	%{stdout}        write the rest to standard output
//	%{onerror}       write the rest only for a fetch that has failed
//	%% \n \r \t      a percent sign, a line end, a return, a tab
//
// Any other text stands for itself.
package writeout

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/spelling"
)

// A Format is a text with values that is written after each fetch. The zero Format writes nothing.
type Format struct{ parts []part }

// A part is a literal text, a value, or a switch.
type part struct {
	sort sort
	text string // of a literal, or the name
}

type sort uint8

const (
	literal sort = iota
	variable
	header
	toStdout
	toStderr
	onError
)

// switches are the names that change the output and have no value.
var switches = map[string]sort{"stdout": toStdout, "stderr": toStderr, "onerror": onError}

// Parse reads a format. A name that is no variable is an error.
func Parse(text string) (Format, error) {
	var f Format
	for text != "" {
		at := strings.IndexAny(text, `%\`)
		if at != 0 {
			if at < 0 {
				at = len(text)
			}
			f.add(literal, text[:at])
			text = text[at:]
			continue
		}
		rest, err := f.special(text)
		if err != nil {
			return Format{}, err
		}
		text = rest
	}
	return f, nil
}

// special reads a part that begins with % or \, and returns the text behind it.
func (f *Format) special(text string) (rest string, err error) {
	if len(text) == 1 {
		f.add(literal, text)
		return "", nil
	}
	switch text[:2] { // of another pair, both stand for themselves
	case `\n`:
		f.add(literal, "\n")
	case `\r`:
		f.add(literal, "\r")
	case `\t`:
		f.add(literal, "\t")
	case "%%":
		f.add(literal, "%")
	case "%{":
		name, rest, closed := strings.Cut(text[2:], "}")
		if !closed {
			return "", fmt.Errorf("%.20q has no end: a } is missing", text)
		}
		return rest, f.addVariable(name)
	default:
		for prefix, add := range map[string]func(string) error{"%header{": f.addHeader, "%output{": f.addOutput} {
			if inner, ok := strings.CutPrefix(text, prefix); ok {
				name, rest, closed := strings.Cut(inner, "}")
				if !closed {
					return "", fmt.Errorf("%.20q has no end: a } is missing", text)
				}
				return rest, add(name)
			}
		}
		f.add(literal, text[:2])
	}
	return text[2:], nil
}

func (f *Format) add(sort sort, text string) { f.parts = append(f.parts, part{sort, text}) }

func (f *Format) addVariable(name string) error {
	if sort, ok := switches[name]; ok {
		f.add(sort, name)
		return nil
	}
	var names []string
	for _, v := range Variables() {
		if v.Name == name {
			f.add(variable, name)
			return nil
		}
		names = append(names, v.Name)
	}
	return fmt.Errorf("there is no variable %q%s", name, spelling.DidYouMean("%%{%s}", spelling.Nearest(names, name)))
}

func (f *Format) addHeader(name string) error {
	if name == "" {
		return fmt.Errorf("%%header{} names no field")
	}
	f.add(header, name)
	return nil
}

func (f *Format) addOutput(string) error {
	return fmt.Errorf("there is no %%output{}: %%{stderr} and %%{stdout} say where the text goes")
}

// IsZero reports whether f writes nothing.
func (f Format) IsZero() bool { return len(f.parts) == 0 }

// Has reports whether a variable is in f.
func (f Format) Has(name string) bool {
	for _, p := range f.parts {
		if p.sort == variable && p.text == name {
			return true
		}
	}
	return false
}

// Values are those of one fetch.
type Values struct {
	Variable func(name string) string
	Header   func(name string) string
	Failed   bool
}

// A Piece is a text to write.
type Piece struct {
	Text   string
	Given  bool // it is text of the format
	Stderr bool // it is for standard error
}

// Expand returns the pieces to write after a fetch.
func (f Format) Expand(v Values) (pieces []Piece) {
	stderr := false
	for _, p := range f.parts {
		text := p.text
		switch p.sort {
		case toStdout, toStderr:
			stderr = p.sort == toStderr
			continue
		case onError:
			if !v.Failed {
				return pieces
			}
			continue
		case variable:
			text = v.Variable(p.text)
		case header:
			text = v.Header(p.text)
		}
		pieces = append(pieces, Piece{text, p.sort == literal, stderr})
	}
	return pieces
}
