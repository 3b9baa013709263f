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
)

// A State is a file that says what of a batch is done, so that it is not asked for
// again. A line is added for each download when its file has its name, in one
// piece, so that to be killed costs no more than the last one. It takes 24 octets
// of memory for each that was done before it was opened. It is locked while it is
// open.
type State struct {
	file *os.File
	done []entry // in order of their keys, and of the file where these are the same

	mu     sync.Mutex // held while a line is written
	end    int64      // of the last that is whole
	broken error      // why it takes no more
}

// A Done is a line of a State.
type Done struct {
	URL    string `json:"url"`              // as it was given, without its password
	As     string `json:"as,omitempty"`     // the name that was asked for, if that is not from the URL
	Output string `json:"output,omitempty"` // the name that it got
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
	Sum    string `json:"sum,omitempty"` // what else it was found to hash to, as ParseSum reads it
}

// A key stands for the URL and As of a Done.
type key [16]byte

// An entry is what is remembered of a Done.
type entry struct {
	key
	sum [8]byte // stands for its Sum, or else for its SHA256
}

// maxDone bounds a line: names are at most as long as a line of a list, and an
// octet takes up to six in JSON.
const maxDone = 1 << 20

// OpenState opens or begins a State. It is ErrBusy if another download has it
// open. A last line that is not whole is taken off; any other that is not one of a
// State is an error, and then nothing is changed. So is a pipe or device, and what
// OpenInPlace refuses.
func OpenState(name string) (*State, error) {
	f, err := openInPlace(name, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	s := &State{file: f}
	mine, err := lock(f, false)
	switch info, wrong := f.Stat(); {
	case wrong != nil:
		err = wrong
	case !info.Mode().IsRegular():
		err = errors.New("a state has to be a regular file")
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

// load reads what is there, twice: how much memory it takes is known then.
func (s *State) load() error {
	in := bufio.NewReaderSize(s.file, maxDone)
	lines := 0
	for {
		text, err := in.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil && err != bufio.ErrBufferFull {
			return err
		}
		lines += bytes.Count(text, []byte{'\n'})
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
			return fmt.Errorf("line %d is not one of a state", n)
		}
		s.end += int64(len(line))
		s.done = append(s.done, entry{keyOf(d.URL, d.As), standIn(cmp.Or(d.Sum, Sum{"sha256", d.SHA256}.String()))})
	}
}

// parseDone reads a line, and nothing else: a record of --json begins like one, but
// may be about what failed.
func parseDone(line []byte) (d Done, ok bool) {
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	if in.Decode(&d) != nil || d.URL == "" {
		return d, false
	}
	_, err := in.Token()
	return d, err == io.EOF
}

// beginsDone reports whether a line may be the beginning of a Done, or what a file
// system makes of one after a crash.
func beginsDone(line []byte) bool {
	begin := []byte(`{"url":"`)
	n := min(len(line), len(begin))
	return bytes.Equal(line[:n], begin[:n]) || len(bytes.Trim(line, "\x00")) == 0
}

func keyOf(url, as string) key {
	sum := sha256.Sum256([]byte(url + "\x00" + as))
	return key(sum[:])
}

func (k key) compare(other key) int { return bytes.Compare(k[:], other[:]) }

// standIn is what is remembered of a sum.
func standIn(sum string) (short [8]byte) {
	hash := sha256.Sum256([]byte(sum))
	return [8]byte(hash[:])
}

// Has reports whether a URL was done, and saved as was asked, before s was opened. If
// sum is not zero, the last file that came of it has to have had that.
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

// Add writes down what is done. A name that JSON cannot hold is left out, and then
// asked for again, and so is what there is no room for, which is an error. A Done without
// a URL is left out too: OpenState would not read it.
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
		return errors.New("too long a name for a state")
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
		s.broken = err // what there is of the line has to stay the last
	}
	return err
}

// Close closes the file.
func (s *State) Close() error { return s.file.Close() }
