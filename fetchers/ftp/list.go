package ftp

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxLine is the maximum length of a line of a listing, in bytes.
const maxLine = 64 << 10

// A lineParser parses one line of a listing into an Entry without a URL. It returns false for a
// line that is no entry and has no information, such as that of the directory itself.
type lineParser func(line string) (fetchers.Entry, bool)

// newLineParser returns a parser of the output of LIST, for which there is no standard. For each
// line it determines the family of systems that wrote it; the families have little in common, and a
// line that fits none is Unparsed. If a line has no year, it is derived from now.
func newLineParser(now time.Time) lineParser {
	return func(line string) (fetchers.Entry, bool) {
		if strings.TrimSpace(line) == "" || headline(line) {
			return fetchers.Entry{}, false
		}
		for _, family := range []func(line string, now time.Time) (fetchers.Entry, bool){
			parseEPLF, parseUnix, parseNetWare, parseDOS, parseVMS, parseMVS, parseOS400,
		} {
			if e, ok := family(line, now); ok {
				return e, e.Name != "." && e.Name != ".."
			}
		}
		return unparsed(line), true
	}
}

// headline reports whether a line describes the listing and is no entry.
func headline(line string) bool {
	words := strings.Fields(line)
	switch {
	case len(words) == 2 && words[0] == "total":
		return digits(words[1])
	case len(words) > 2 && words[0] == "Total" && words[1] == "of": // VMS
		return digits(words[2])
	case len(words) == 2 && words[0] == "Directory": // VMS
		return strings.HasSuffix(words[1], "]")
	case len(words) > 2 && words[0] == "Volume" && words[1] == "Unit": // MVS
		return words[len(words)-1] == "Dsname"
	case len(words) > 2 && words[0] == "Name" && words[1] == "VV.MM": // MVS
		return words[len(words)-1] == "Id"
	}
	return false
}

// parser returns a Parse for the listing of the directory dir.
func parser(dir url.FTP, parse lineParser) func(io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			src := &source{Reader: body}
			lines := bufio.NewScanner(src)
			lines.Buffer(make([]byte, 4096), maxLine)
			lines.Split(src.split)
			for lines.Scan() {
				e, ok := parse(lines.Text())
				if !ok {
					continue
				}
				if src.partial && e.Kind != fetchers.Unknown {
					e = unparsed(lines.Text()) // the name may be truncated
				}
				if e.Kind != fetchers.Text && e.Kind != fetchers.Unparsed {
					e.URL = child(dir, e)
				}
				if !yield(e, nil) {
					return
				}
			}
			err := lines.Err()
			if err == bufio.ErrTooLong {
				err = fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, maxLine)
			}
			if err != nil {
				yield(fetchers.Entry{}, err)
			}
		}
	}
}

// A source is a listing that is split into lines.
type source struct {
	io.Reader
	ended   bool // the end was reached, without an error
	partial bool // the last line has no line end
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.ended = err == io.EOF
	return n, err
}

// split is a bufio.SplitFunc. An incomplete line before an error is dropped. A line with only a
// name and a version continues in the next line, which begins with a space (VMS, if the name is
// long).
func (s *source) split(data []byte, _ bool) (advance int, token []byte, err error) {
	advance, line := s.line(data)
	if advance == 0 || !versioned(string(line)) {
		return advance, line, nil
	}
	rest := data[advance:]
	if len(rest) == 0 && !s.ended {
		return 0, nil, nil
	}
	if len(rest) == 0 || rest[0] != ' ' {
		return advance, line, nil
	}
	more, next := s.line(rest)
	if more == 0 {
		return 0, nil, nil
	}
	return advance + more, append(bytes.Clone(line), next...), nil
}

// line returns the first line of data, and its length including the line end; 0 if it is
// incomplete.
func (s *source) line(data []byte) (length int, line []byte) {
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		return i + 1, bytes.TrimSuffix(data[:i], []byte("\r"))
	}
	if !s.ended || len(data) == 0 {
		return 0, nil
	}
	s.partial = true
	return len(data), bytes.TrimSuffix(data, []byte("\r"))
}

// child returns the URL of an entry of dir. The name is a single path element whatever it contains,
// so that a server cannot lead out of the directory by it.
func child(dir url.FTP, e fetchers.Entry) *url.URL {
	if e.Kind == fetchers.Listing {
		dir.CWD = append(dir.CWD[:len(dir.CWD):len(dir.CWD)], e.Name)
	} else {
		dir.Name = e.Name
	}
	return dir.URL()
}

// parseName returns a parser of the names of NLST, which removes the prefix of the requested
// directory.
func parseName(prefix string) lineParser {
	return func(line string) (fetchers.Entry, bool) {
		name := strings.TrimPrefix(line, prefix)
		if name == "" || name == "." || name == ".." {
			return fetchers.Entry{}, false
		}
		return fetchers.Entry{Name: name, Size: -1, MediaType: fetchers.TypeByName(name)}, true
	}
}

func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}

// entry returns an Entry of Kind Listing for a directory, and else of Kind Document.
func entry(name string, directory bool) fetchers.Entry {
	if directory {
		return fetchers.Entry{Name: name, Kind: fetchers.Listing, Size: -1}
	}
	return fetchers.Entry{Name: name, Kind: fetchers.Document, Size: -1, MediaType: fetchers.TypeByName(name)}
}

func setAttribute(e *fetchers.Entry, key, value string) {
	if e.Attributes == nil {
		e.Attributes = make(map[string]string)
	}
	e.Attributes[key] = value
}

// A field is a word of a line, with its position.
type field struct {
	text       string
	start, end int
}

// fields splits a line into at most most words.
func fields(line string, most int) (list []field) {
	for i := 0; i < len(line) && len(list) < most; {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		end := i
		for end < len(line) && line[end] != ' ' && line[end] != '\t' {
			end++
		}
		list = append(list, field{line[i:end], i, end})
		i = end
	}
	return list
}

// digits reports whether s consists of decimal digits.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
