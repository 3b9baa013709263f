package nntptest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A store has the groups and articles of a server.
type store struct {
	fsys   fs.FS
	groups []*group // by name
	byID   map[string]*article
}

type group struct {
	name, about string
	articles    []*article // by number
}

type article struct {
	file         string
	group        *group
	number       uint64
	id           string // with its angle brackets
	made         bool   // id is ours
	header       map[string]string
	bytes, lines int
}

func newStore(fsys fs.FS) (*store, error) {
	s := &store{fsys: fsys, byID: make(map[string]*article)}
	dirs, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return nil, err
	}
	for _, d := range dirs {
		if !d.IsDir() {
			continue
		}
		g := &group{name: d.Name()}
		files, err := fs.ReadDir(fsys, g.name)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			n, err := strconv.ParseUint(f.Name(), 10, 64)
			if err != nil || n == 0 || f.IsDir() {
				continue
			}
			a := &article{file: path.Join(g.name, f.Name()), group: g, number: n}
			if err := s.index(a); err != nil {
				return nil, err
			}
			g.articles = append(g.articles, a)
		}
		slices.SortFunc(g.articles, func(a, b *article) int {
			if a.number < b.number {
				return -1
			}
			return 1
		})
		s.groups = append(s.groups, g)
	}
	return s, s.readDescriptions()
}

func (s *store) readDescriptions() error {
	text, err := fs.ReadFile(s.fsys, "newsgroups")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for line := range strings.Lines(string(text)) {
		name, about, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if g := s.group(name); g != nil {
			g.about = strings.TrimSpace(about)
		}
	}
	return nil
}

// group returns the group of that name, or nil.
func (s *store) group(name string) *group {
	i, ok := slices.BinarySearchFunc(s.groups, name, func(g *group, name string) int { return strings.Compare(g.name, name) })
	if !ok {
		return nil
	}
	return s.groups[i]
}

// index reads the header and the metadata of an article.
func (s *store) index(a *article) error {
	text, err := s.read(a)
	if err != nil {
		return err
	}
	head, body, _ := bytes.Cut(text, []byte("\r\n\r\n"))
	a.header = make(map[string]string)
	name := ""
	for line := range strings.SplitSeq(string(head), "\r\n") {
		if field, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "\t") {
			name = strings.ToLower(field)
			a.header[name] = strings.TrimSpace(value)
		} else if name != "" {
			a.header[name] += " " + strings.TrimSpace(line)
		}
	}
	a.bytes, a.lines = len(text), bytes.Count(body, []byte("\r\n"))
	if a.id = a.header["message-id"]; a.id == "" {
		a.id, a.made = fmt.Sprintf("<%s.%d@nntptest.invalid>", a.group.name, a.number), true
		a.header["message-id"] = a.id
		a.bytes += len("Message-ID: \r\n") + len(a.id)
	}
	if s.byID[a.id] == nil {
		s.byID[a.id] = a
	}
	return nil
}

// read returns the text of an article, with CR LF at the end of every line.
func (s *store) read(a *article) ([]byte, error) {
	text, err := fs.ReadFile(s.fsys, a.file)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if a.made {
		fmt.Fprintf(&out, "Message-ID: %s\r\n", a.id)
	}
	for line := range bytes.Lines(text) {
		out.Write(bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")))
		out.WriteString("\r\n")
	}
	return out.Bytes(), nil
}

// stuff writes the lines of text with a dot before those that begin with one (RFC
// 3977, section 3.1.1).
func stuff(w *bufio.Writer, text []byte) {
	for line := range bytes.SplitAfterSeq(text, []byte("\r\n")) {
		if len(line) > 0 && line[0] == '.' {
			w.WriteByte('.')
		}
		w.Write(line)
	}
}

// marks returns the low and high water marks of g, as INN has them for an empty
// group.
func (g *group) marks() (low, high uint64) {
	if len(g.articles) == 0 {
		return 1, 0
	}
	return g.articles[0].number, g.articles[len(g.articles)-1].number
}

// find returns where the first article is whose number is not below n.
func (g *group) find(n uint64) int {
	i, _ := slices.BinarySearchFunc(g.articles, n, func(a *article, n uint64) int {
		switch {
		case a.number < n:
			return -1
		case a.number > n:
			return 1
		}
		return 0
	})
	return i
}

// within returns the articles of a range, which is a number, "n-" or "n-m".
func (g *group) within(span string) (list []*article, ok bool) {
	first, last, ranged := strings.Cut(span, "-")
	low, err := strconv.ParseUint(first, 10, 64)
	if err != nil {
		return nil, false
	}
	high := low
	if ranged && last == "" {
		high = 1<<64 - 2
	} else if ranged {
		if high, err = strconv.ParseUint(last, 10, 64); err != nil {
			return nil, false
		}
	}
	if high < low {
		return nil, true
	}
	return g.articles[g.find(low):g.find(high+1)], true
}
