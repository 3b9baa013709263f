package option

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/record"
)

// configure sets the flags of verb that were not given to the values of the configuration, and
// notes its sections.
func (o *Options) configure(ctx context.Context, verb string) error {
	file, data, err := o.Config.open(ctx)
	if file == nil {
		return err
	}
	defer file.Close()
	settings, sections, err := parseConfig(Tilde(file.Name()), data)
	if err != nil {
		return record.UsageError{Err: err}
	}
	all := slices.Clone(settings)
	for _, s := range settings {
		if err := s.check(""); err != nil {
			return record.UsageError{Err: err}
		}
		f := row(s.Key)
		if !f.On(verb) || o.Given(s.Key) || o.replaced(f) || o.outdone(s.Key, verb) {
			continue
		}
		if err := s.set(f.bind(o)); err != nil {
			return record.UsageError{Err: err}
		}
		o.Sources[s.Key] = s.Where
		o.Config.Settings = append(o.Config.Settings, s)
	}
	o.Origins = make(map[string]*Section)
	for _, s := range sections {
		if err := o.addSection(s); err != nil {
			return record.UsageError{Err: err}
		}
		all = append(all, s.Settings...)
	}
	if slices.ContainsFunc(all, Setting.secret) {
		if err := CheckPrivate(file, "holds passwords"); err != nil {
			return record.InputError{Err: err}
		}
	}
	return nil
}

// open returns the file and its content, or nil if the file is optional and does not exist. A file
// that exists and cannot be read is an error, also if it is optional: it may forbid a fetch, as
// public-only does.
func (c *Config) open(ctx context.Context) (*os.File, []byte, error) {
	if c.Off {
		return nil, nil, nil
	}
	name := c.File
	if name == "" {
		dir, err := ConfigDir()
		if err != nil {
			return nil, nil, nil // there is no home directory
		}
		name = filepath.Join(dir, "config.toml")
	}
	file, err := readUserFile(ctx, func() (*os.File, error) { return os.Open(name) })
	switch {
	case err == nil:
		return file.File, file.data, nil
	case ctx.Err() != nil:
		return nil, nil, err
	case c.File == "" && errors.Is(err, fs.ErrNotExist):
		link := dangling(name)
		if link == "" {
			return nil, nil, nil
		}
		err = fmt.Errorf("%w: %s is a link that leads to nothing", err, link)
	}
	if c.File == "" {
		err = fmt.Errorf("%w: --no-config does without that file", err)
	}
	return nil, nil, record.InputError{Err: err}
}

// dangling returns the link on the way to a file that does not exist, or "" if there is none.
func dangling(name string) string {
	for {
		if _, err := os.Lstat(name); err == nil {
			if _, err := os.Stat(name); err != nil {
				return name
			}
			return ""
		}
		dir := filepath.Dir(name)
		if dir == name {
			return ""
		}
		name = dir
	}
}

// replaced reports whether the command line has an owner of a flag, so that the value in the
// configuration belongs to another one: the login of one proxy is never sent to another.
func (o *Options) replaced(f Flag) bool {
	return slices.ContainsFunc(strings.Fields(f.Owner), o.Given)
}

// outdone reports whether the command line has flags of verb that contradict a setting of key.
func (o *Options) outdone(key, verb string) bool {
	for _, f := range Table() {
		for _, c := range f.Not {
			if !c.on(verb) {
				continue
			}
			for other := range strings.FieldsSeq(c.Flags) {
				g, w := named(other)
				if f.Name == key && o.has(g, w) || g.Name == key && o.has(f, c.when()) {
					return true
				}
			}
		}
	}
	return false
}
