package dicttest

import (
	"io/fs"
	"path"
	"strings"
)

// A database is a directory.
type database struct {
	name, description, info string
	words                   []string // in order
	texts                   map[string]string
}

// The words of dictd that tell of a database.
const (
	shortWord = "00-database-short"
	infoWord  = "00-database-info"
)

// read reads the databases of fsys.
func read(fsys fs.FS) (all []*database, err error) {
	if fsys == nil {
		return nil, nil
	}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		dir, word := path.Split(name)
		switch {
		case d.IsDir() && dir == "":
			all = append(all, &database{name: name, description: name, info: "Nothing is known of it.\r\n", texts: map[string]string{}})
		case d.IsDir():
			return fs.SkipDir
		case dir != "":
			text, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			all[len(all)-1].add(word, lines(string(text)))
		}
		return nil
	})
	return all, err
}

func (d *database) add(word, text string) {
	switch word {
	case shortWord:
		d.description = strings.TrimSpace(text)
	case infoWord:
		d.info = text
	default:
		d.words = append(d.words, word)
		d.texts[word] = text
	}
}

// lines returns text with lines that end in CR LF.
func lines(text string) string {
	text = strings.TrimSuffix(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if text == "" {
		return ""
	}
	return strings.ReplaceAll(text, "\n", "\r\n") + "\r\n"
}

// A strategy is a way to match words, which are in lower case.
type strategy struct {
	name, description string
	matches           func(word, asked string) bool
}

var strategies = []strategy{
	{"exact", "Match headwords exactly", func(word, asked string) bool { return word == asked }},
	{"prefix", "Match prefixes", strings.HasPrefix},
	{"substring", "Match substring occurring anywhere in a headword", strings.Contains},
	{"suffix", "Match suffixes", strings.HasSuffix},
}

// match returns the words of d that match.
func (d *database) match(s strategy, asked string) (all []string) {
	for _, word := range d.words {
		if s.matches(strings.ToLower(word), strings.ToLower(asked)) {
			all = append(all, word)
		}
	}
	return all
}
