package wire

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/tools/txtar"
)

// A Script is one exchange, read from a txtar file. Several players may play
// it at once.
type Script struct {
	// Comment is the text before the first section, without the white space
	// around it.
	Comment string

	// Patience is the timeout of each step of the client. A timeout is a difference. Zero means 5
	// seconds. Set it before the script is played.
	Patience time.Duration

	name     string // file name, or ""
	sections map[string]string
	parts    []part
	end      int // the line of the last step, or of the section wire without steps
}

// A part has the steps of one control connection.
type part struct {
	line  int
	steps []step
}

// Parse parses a script. Its errors have the number of the invalid line.
func Parse(data []byte) (*Script, error) {
	archive := txtar.Parse(data)
	s := &Script{
		Comment:  strings.TrimSpace(string(archive.Comment)),
		sections: make(map[string]string),
	}
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	for _, f := range archive.Files {
		if s.Has(f.Name) {
			return nil, fmt.Errorf("line %d: a second section %q", line, f.Name)
		}
		s.sections[f.Name] = string(f.Data)
		line++ // the section's marker
		if f.Name == "wire" {
			s.end = line - 1
			if err := s.parseWire(line, string(f.Data)); err != nil {
				return nil, err
			}
		}
		line += bytes.Count(f.Data, []byte("\n"))
	}
	if !s.Has("wire") {
		return nil, fmt.Errorf("line %d: the script ends without a section \"wire\"", line)
	}
	return s, nil
}

// ReadFile parses the script in the named file.
func ReadFile(name string) (*Script, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.name = name
	return s, nil
}

// Section returns the text of a section as it is in the file, final newline
// included, or "" if there is no such section. See [Player.Expand] for the
// address in it and [Unescape] for bytes that a text file cannot hold.
func (s *Script) Section(name string) string {
	return s.sections[name]
}

// Has reports whether the script has the section, be it empty.
func (s *Script) Has(name string) bool {
	_, ok := s.sections[name]
	return ok
}

// parseWire parses the section wire, whose first line is the given one of the
// file.
func (s *Script) parseWire(line int, text string) error {
	var ended string  // the verb after which this connection has no more steps
	var secure bool   // TLS has begun on this connection
	var optional bool // the step is the answer to a C? line, or that line
	for source := range strings.Lines(text) {
		source = strings.TrimSuffix(source, "\n")
		if strings.TrimSpace(source) == "" || source[0] == '#' {
			line++
			continue
		}
		st, err := parseStep(source)
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		st.line, s.end = line, line
		line++

		if st.op == nextConnection || len(s.parts) == 0 {
			s.parts = append(s.parts, part{line: st.line})
			ended, optional, secure = "", false, false
			if st.op == nextConnection {
				continue
			}
		}
		// Only a client that did not send the C? line can get past the end in
		// its answer.
		if st.op.fromClient() && optional {
			ended = ""
		}
		if ended != "" {
			return fmt.Errorf("line %d: %q after %q, which only \"! connection\" can follow", st.line, source, ended)
		}
		switch st.op {
		case beginTLS:
			if secure {
				return fmt.Errorf("line %d: a second %q", st.line, source)
			}
			secure = true
		case mustSend:
			optional = false
		case maySend:
			optional = true
		case closeControl, cutControl, resetControl, stallControl:
			ended = source
		}
		last := &s.parts[len(s.parts)-1]
		last.steps = append(last.steps, st)
	}
	return nil
}
