package download

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// A State is a file with a line for each finished download of a batch, so that it is not requested
// again. A line is added as soon as the file of the download has its final name: a kill loses at
// most the last line. A State uses 24 bytes of memory for each download that was finished before it
// was opened. It is locked while it is open.
type State struct {
	file *os.File
	done []entry // sorted by key, and then by position in the file

	mu     sync.Mutex // held while a line is written
	end    int64      // offset after the last whole line
	broken error      // the error after which no line can be added
}

// A Done is a line of a State.
type Done struct {
	URL    string `json:"url"`              // as given, without its password
	As     string `json:"as,omitempty"`     // the name that the user gave, if it is not from the URL
	Output string `json:"output,omitempty"` // the final name
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
	Sum    string `json:"sum,omitempty"` // another verified checksum, in the form of ParseSum
}

// A key is a hash of the URL and As of a Done.
type key [16]byte

// An entry is the memory for a Done.
type entry struct {
	key
	sum [8]byte // a hash of its Sum, or else of its SHA256
}

// maxDone limits the length of a line: names are at most as long as a line of a list, and JSON uses
// up to six bytes for a byte.
const maxDone = 1 << 20

// OpenState opens or creates a State. The error is ErrBusy if another download has it open. An
// incomplete last line is removed. If any other line is not one of a State, OpenState returns an
// error and does not change the file. A pipe or device is an error too, and so are files that
// OpenInPlace refuses.
func OpenState(name string) (*State, error) {
	f, err := openInPlace(name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	s := &State{file: f}
	mine, err := filelock.Lock(f, false)
	switch info, wrong := f.Stat(); {
	case wrong != nil:
		err = wrong
	case !info.Mode().IsRegular():
		err = errors.New("a state file has to be a regular file")
	case err == nil && !mine:
		err = ErrBusy
	case err == nil:
		err = s.load()
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// load reads the lines. It counts them first, to allocate the memory at once.
func (s *State) load() error {
	in := bufio.NewReaderSize(s.file, maxDone)
	lines, err := countLines(in)
	if err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	in.Reset(s.file)
	s.done = make([]entry, 0, lines)
	defer func() { slices.SortStableFunc(s.done, func(a, b entry) int { return a.compare(b.key) }) }()
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case err == io.EOF && len(line) == 0:
			return nil
		case err == io.EOF && beginsDone(line):
			return s.file.Truncate(s.end)
		case err != nil && err != io.EOF && err != bufio.ErrBufferFull:
			return err
		}
		d, ok := parseDone(line)
		if err != nil || !ok {
			return fmt.Errorf("line %d is not a line of a state file", n)
		}
		s.end += int64(len(line))
		s.done = append(s.done, entry{keyOf(d.URL, d.As), standIn(cmp.Or(d.Sum, Sum{"sha256", d.SHA256}.String()))})
	}
}

// countLines returns the number of remaining lines.
func countLines(in *bufio.Reader) (lines int, err error) {
	for {
		text, err := in.ReadSlice('\n')
		if err == io.EOF {
			return lines, nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return 0, err
		}
		lines += bytes.Count(text, []byte{'\n'})
	}
}

// parseDone reads a line of a State. It refuses unknown fields: a record of --json begins like a
// Done, but may be about a failure.
func parseDone(line []byte) (d Done, ok bool) {
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	if in.Decode(&d) != nil || d.URL == "" {
		return d, false
	}
	_, err := in.Token()
	return d, err == io.EOF
}

// beginsDone reports whether a line may be the beginning of a Done, or consists of zeros that a
// file system left after a crash.
func beginsDone(line []byte) bool {
	begin := []byte(`{"url":"`)
	n := min(len(line), len(begin))
	return bytes.Equal(line[:n], begin[:n]) || len(bytes.Trim(line, "\x00")) == 0
}

// keyOf returns the key of a URL and an As.
func keyOf(url, as string) key {
	sum := sha256.Sum256([]byte(url + "\x00" + as))
	return key(sum[:])
}

func (k key) compare(other key) int { return bytes.Compare(k[:], other[:]) }

// standIn returns the hash of a sum for an entry.
func standIn(sum string) (short [8]byte) {
	hash := sha256.Sum256([]byte(sum))
	return [8]byte(hash[:])
}

// Has reports whether a URL was saved, under the same name, before s was opened. If sum is not
// zero, the last file of that URL must have had it.
func (s *State) Has(url, as string, sum Sum) bool {
	k := keyOf(url, as)
	after, _ := slices.BinarySearchFunc(s.done, k, func(e entry, k key) int {
		if e.compare(k) <= 0 {
			return -1
		}
		return 1
	})
	if after == 0 || s.done[after-1].key != k {
		return false
	}
	return sum == Sum{} || s.done[after-1].sum == standIn(sum.String())
}

// Add adds a line. It ignores a Done whose names JSON cannot represent, which is then requested
// again, and a Done without a URL, which OpenState would refuse. It is an error if the disk has no
// room for the line.
func (s *State) Add(d Done) error {
	if d.URL == "" || !utf8.ValidString(d.URL+d.As) {
		return nil
	}
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(d); err != nil {
		return err
	}
	if line.Len() > maxDone {
		return errors.New("the name is too long for a state file")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		return s.broken
	}
	_, err := s.file.Write(line.Bytes())
	if err == nil {
		s.end += int64(line.Len())
	} else if s.file.Truncate(s.end) != nil {
		s.broken = err // the incomplete line has to stay the last
	}
	return err
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }
