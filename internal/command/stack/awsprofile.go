package stack

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"strings"
)

// An awsProfile is a section of the files of the tools of AWS.
type awsProfile struct {
	name   string
	values map[string]string
}

// read adds to p the values of a section of a file, which need not exist, and reports whether the
// file has the section. The section of the default profile is called [default] in both files. Lines
// that begin with a blank belong to the value above them, and are ignored.
func (p *awsProfile) read(name, section string) (found bool, err error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer file.Close()
	within := false
	in := bufio.NewScanner(file)
	for in.Scan() {
		line := in.Text()
		if line == "" || strings.ContainsRune(" \t#;", rune(line[0])) {
			continue
		}
		if title, ok := strings.CutPrefix(line, "["); ok {
			title, _, _ = strings.Cut(title, "]")
			title = strings.Join(strings.Fields(title), " ")
			within = title == section || title == p.name && p.name == "default"
			found = found || within
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		if !within || !ok || p.values[key] != "" {
			continue
		}
		if value, _, _ = strings.Cut(value, " #"); value != "" {
			p.values[key] = strings.TrimSpace(value)
		}
	}
	return found, in.Err()
}
