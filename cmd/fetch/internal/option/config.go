package option

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/pipe"
	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/spelling"
	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/record"
)

// A Setting is a line of the configuration: the values of a flag.
type Setting struct {
	Key    string
	Values []string
	Where  string // FILE:LINE
}

// maxConfig is the size of the largest configuration, in bytes.
const maxConfig = 1 << 20

// configure gives the flags of verb that were not given the values of the configuration,
// and takes note of its sections.
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
		if !f.On(verb) || o.Given(s.Key) || o.outdone(s.Key, verb) {
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
		if err := CheckPrivate(file); err != nil {
			return record.InputError{Err: err}
		}
	}
	return nil
}

// open returns the file and its content, or nil if the file is optional and does not exist.
// A file that cannot be read is an error, also if it may not exist: it may forbid something,
// as public-only does.
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
	var file *os.File
	data, err := pipe.Open(ctx, func() (data []byte, err error) {
		if file, err = os.Open(name); err == nil {
			data, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
		}
		return data, err
	})
	switch {
	case err == nil && len(data) > maxConfig:
		err = fmt.Errorf("%s: more than %d bytes", Tilde(name), maxConfig)
	case err == nil:
		return file, data, nil
	case ctx.Err() != nil:
		return nil, nil, err
	case c.File == "" && errors.Is(err, fs.ErrNotExist):
		link := dangling(name)
		if link == "" {
			return nil, nil, nil
		}
		err = fmt.Errorf("%w: %s is a link that leads to nothing", err, link)
	}
	if file != nil {
		file.Close()
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

// outdone reports whether flags of verb were given that contradict a setting of key.
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

// check returns an error if s has no place where it stands: in a section for a scheme, or
// for all origins if that is "".
func (s Setting) check(scheme string) error {
	f, known := Lookup(s.Key)
	switch {
	case !known:
		var names []string
		for _, f := range Table() {
			if f.Scope != OneRun {
				names = append(names, f.Name)
			}
		}
		slices.Sort(names)
		return fmt.Errorf("%s: there is no flag %q%s", s.Where, s.Key, spelling.DidYouMean("%q", spelling.Nearest(names, s.Key)))
	case f.Scope == OneRun:
		return fmt.Errorf("%s: %s is for a command line", s.Where, s.Key)
	case scheme != "" && f.Scope == ForAll:
		return fmt.Errorf("%s: %s is not for one origin: write it before the first section", s.Where, s.Key)
	case scheme == "" && f.Scope == OnlyOrigin:
		return fmt.Errorf("%s: %s is for one origin: write it in a section like [\"https://example.org\"]", s.Where, s.Key)
	case scheme == "" && f.Secret == Field && s.secret():
		return fmt.Errorf("%s: that header is a secret, which is for one origin: write it in a section like [\"https://example.org\"]", s.Where)
	case scheme != "" && !f.For(scheme):
		return fmt.Errorf("%s: %s means nothing for %s", s.Where, s.Key, scheme)
	}
	if err := s.sendable(); err != nil {
		return fmt.Errorf("%s: %w", s.Where, err)
	}
	return nil
}

// sendable returns an error if s is a header field, or several, that cannot be sent.
func (s Setting) sendable() error {
	switch f := row(s.Key); {
	case s.Key == "header":
		_, err := (&Ask{Headers: s.Values}).fields()
		return err
	case f.Field != "":
		return http.CheckFields(textproto.MIMEHeader{f.Field: s.Values})
	}
	return nil
}

// set gives a flag the values.
func (s Setting) set(v value) error {
	list, several := v.(pflag.SliceValue)
	if several {
		list.Replace(nil)
	}
	if _, entries := v.(table); len(s.Values) != 1 && !several && !entries {
		return fmt.Errorf("%s: %s has one value, not %d", s.Where, s.Key, len(s.Values))
	}
	for _, one := range s.Values {
		err := error(nil)
		if several {
			err = list.Append(one)
		} else {
			err = v.Set(one)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.Where, s.Key, err)
		}
	}
	return nil
}

// Shown returns the setting as flags, with the secrets in its values masked.
func (s Setting) Shown() string { return s.textBy(http.MaskedSent) }

// secret reports whether the values hold a secret. A header field counts by its name, since
// most fields that are masked hold none.
func (s Setting) secret() bool { return strings.Contains(s.textBy(http.Masked), "***") }

// textBy is Shown with header fields as mask has them.
func (s Setting) textBy(mask func(name, value string) string) string {
	f := row(s.Key)
	values := make([]string, len(s.Values))
	for i, v := range s.Values {
		values[i] = f.maskedBy(mask, v)
	}
	return "--" + s.Key + " " + strings.Join(values, ", ")
}
