// Package sshconfig reads the configuration of ssh, as ssh_config(5) has it: Host, Match and
// Include say which lines apply to a host, and the first value of a keyword counts. The values are
// words; the keywords are not known here. Programs are not run.
package sshconfig

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A File is a file of configuration.
type File struct {
	Name     string
	Optional bool   // it need not exist
	Private  bool   // no other user may write to it, nor to a file that it includes
	Dir      string // the directory of files that it includes by a relative name; "" if there are none
}

// A Target is the server that is asked for, and the user who asks.
type Target struct {
	Host  string // as the user named it
	User  string // as the user named it; "" if he did not
	Local string // the user of this machine
	Home  string // the home directory of that user; "" if there is none
}

// Values are the values of the keywords for a Target.
type Values struct {
	// Skipped are the Match blocks that could not be decided, as "FILE:LINE: CRITERION". They
	// do not apply.
	Skipped []string

	words      map[string][]string // by the keyword in lower case
	identities []string
}

// Words returns the words of the first line that has the keyword, or nil.
func (v *Values) Words(keyword string) []string { return v.words[strings.ToLower(keyword)] }

// First returns the first of Words, or "".
func (v *Values) First(keyword string) string {
	if words := v.Words(keyword); len(words) > 0 {
		return words[0]
	}
	return ""
}

// IdentityFiles returns the value of IdentityFile, which is that of all its lines.
func (v *Values) IdentityFiles() []string { return v.identities }

// Read returns the settings that the files have for a target. Of two values for one keyword, that of the first file counts.
func Read(files []File, target Target) (*Values, error) {
	r := &reader{Target: target, values: &Values{words: make(map[string][]string)}}
	for r.pass = firstPass; r.pass <= r.last; r.pass++ {
		for _, f := range files {
			if err := r.file(f, 0); err != nil {
				return nil, err
			}
		}
	}
	return r.values, nil
}

const (
	firstPass = iota
	finalPass // ssh_config(5), Match: only if a line has the criterion "final"
)

// maxDepth bounds the files that include each other, as in ssh.
const maxDepth = 16

// A reader reads files for a target.
type reader struct {
	Target
	values     *Values
	pass, last int
}

// file reads a file. Its lines apply until the first Host or Match.
func (r *reader) file(f File, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: more than %d files include each other", f.Name, maxDepth)
	}
	text, err := f.read()
	if errors.Is(err, fs.ErrNotExist) && f.Optional {
		return nil
	}
	if err != nil {
		return err
	}
	applies, number := true, 0
	for text := range strings.Lines(string(text)) {
		number++
		l, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", f.Name, number, err)
		}
		switch l.keyword {
		case "":
		case "host":
			applies = matchesHost(l.words, r.Host)
		case "match":
			var unknown string
			if applies, unknown, err = r.matches(l.words); err != nil {
				return fmt.Errorf("%s:%d: %w", f.Name, number, err)
			}
			if place := fmt.Sprintf("%s:%d: %s", f.Name, number, unknown); unknown != "" && !slices.Contains(r.values.Skipped, place) {
				r.values.Skipped = append(r.values.Skipped, place)
			}
		case "include":
			if applies {
				err = r.include(f, l.words, depth)
			}
			if err != nil {
				return err
			}
		default:
			if applies {
				r.set(l)
			}
		}
	}
	return nil
}

// set notes the words of a keyword, unless it has some. A ProxyJump and a ProxyCommand exclude
// each other: the first one counts.
func (r *reader) set(l line) {
	if l.keyword == "identityfile" {
		for _, name := range l.words {
			if !slices.Contains(r.values.identities, name) {
				r.values.identities = append(r.values.identities, name)
			}
		}
		return
	}
	other := map[string]string{"proxyjump": "proxycommand", "proxycommand": "proxyjump"}[l.keyword]
	if r.values.words[l.keyword] != nil || other != "" && r.values.words[other] != nil {
		return
	}
	r.values.words[l.keyword] = l.words
}

// include reads the files that a line names. A name that is of no file is none. Without a home
// directory there are no files in it: those of the working directory are another's.
func (r *reader) include(f File, patterns []string, depth int) error {
	for _, pattern := range patterns {
		dir := f.Dir
		if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
			dir, pattern = r.Home, rest
		}
		if !filepath.IsAbs(pattern) {
			if dir == "" {
				continue
			}
			pattern = filepath.Join(dir, pattern)
		}
		names, err := filepath.Glob(pattern)
		if err != nil {
			return fmt.Errorf("%s: include %s: %w", f.Name, pattern, err)
		}
		for _, name := range names {
			if err := r.file(File{Name: name, Optional: true, Private: f.Private, Dir: f.Dir}, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// read returns the text of a file.
func (f File) read() ([]byte, error) {
	file, err := os.Open(f.Name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if f.Private && runtime.GOOS != "windows" && info.Mode()&0o022 != 0 {
		return nil, fmt.Errorf("%s: others may write to it: chmod go-w", f.Name)
	}
	return io.ReadAll(file)
}
