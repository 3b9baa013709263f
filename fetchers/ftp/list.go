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

// maxLine bounds a line of a listing.
const maxLine = 64 << 10

// A lineParser reads one line of a listing into an Entry without a URL. It
// returns false for a line that is no entry at all and says nothing, such as
// that of the directory itself.
type lineParser func(line string) (fetchers.Entry, bool)

// newLineParser returns a parser for what LIST sends, for which there is no
// standard. It decides by each line what family of systems wrote it; the
// families have little in common, and a line that fits none is Unparsed. The
// year, where a line leaves it out, is judged by now.
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

// headline reports whether a line is about the listing and not an entry of it.
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

// parser returns a Parse for the listing of the directory that dir means.
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
					e = unparsed(lines.Text()) // the name may have been longer
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

// A source is a listing that is cut into lines.
type source struct {
	io.Reader
	ended   bool // it is at its end, and not at an error
	partial bool // the last line has no line end
}

func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.ended = err == io.EOF
	return n, err
}

// split is a bufio.SplitFunc. What came of a line before an error is not a line.
// A line that holds only a name with a version is continued by the next, which
// begins with a blank (VMS, if the name is long).
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

// line returns the first line of data, and its length with its line end; 0 if
// there is more to come.
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

// child returns the URL of an entry of dir. The name is one element whatever is
// in it, so a server cannot lead out of the directory by it.
func child(dir url.FTP, e fetchers.Entry) *url.URL {
	if e.Kind == fetchers.Listing {
		dir.CWD = append(dir.CWD[:len(dir.CWD):len(dir.CWD)], e.Name)
	} else {
		dir.Name = e.Name
	}
	return dir.URL()
}

// parseName returns a parser for the names of NLST, from which it takes the
// directory that was asked for.
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

// entry returns an Entry of the kind that the family's mark for a directory says.
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

// A field is a word of a line, and where it stands.
type field struct {
	text       string
	start, end int
}

// fields splits a line at its blanks, but no further than into most.
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

// digits reports whether s is a number and nothing else.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
