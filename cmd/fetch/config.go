package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/textproto"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// configFlags say where there are values for flags that are not given. What such a file
// may say is in docs/config.md.
type configFlags struct {
	name string
	off  bool

	settings []setting         // those that hold for all
	from     map[string]string // where the values of flags are from that a file has set
	origins  map[string]*originSection
}

func (f *configFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "config", "", "take values for flags from `FILE` instead of config.toml")
	flags.BoolVar(&f.off, "no-config", false, "take values for flags from no file")
}

// A setting is a line of a file: the values of a flag.
type setting struct {
	key    string
	values []string
	where  string // FILE:LINE
}

// An originSection is the part of a file that is about one origin.
type originSection struct {
	origin   string
	where    string
	settings []setting
	member   // what becomes of it
}

// oneRun are flags that say what to do once, and not how it is done.
const oneRun = "config no-config help version input-file output range continue-at checksum mirror-url trace events state " +
	"head dry-run decode etag-compare etag-save time-cond in form connect"

// ofOrigins are flags whose value can be that of an origin; of these some cannot be
// meant for all.
const (
	ofOrigins = "header user-agent referer cookie user insecure cacert cert key tlsv1.2 tlsv1.3 proxy noproxy proxy-user proxy-basic proxy-digest proxy-anyauth proxytunnel " +
		"http1.1 http2 basic digest anyauth ftp-method ftp-port ftp-pasv ssl ssl-reqd connect-timeout stall-timeout response-timeout max-header ipv4 ipv6"
	onlyOfOrigins = "user cookie cert key"
)

// has reports whether word is one of words.
func has(words, word string) bool { return slices.Contains(strings.Fields(words), word) }

// configDir returns the directory for what the user has configured.
func configDir() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fetch"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "fetch"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config", "fetch"), err
}

// open returns the file and its content, or nil if the file is optional and does not exist.
// A file that cannot be read is an error, also if it may not exist: it may forbid something,
// as public-only does.
func (f *configFlags) open(ctx context.Context) (*os.File, []byte, error) {
	if f.off {
		return nil, nil, nil
	}
	name := f.name
	if name == "" {
		dir, err := configDir()
		if err != nil {
			return nil, nil, nil // there is no home directory
		}
		name = filepath.Join(dir, "config.toml")
	}
	var file *os.File
	data, err := opened(ctx, func() (data []byte, err error) {
		if file, err = os.Open(name); err == nil {
			data, err = io.ReadAll(io.LimitReader(file, maxConfig+1))
		}
		return data, err
	})
	switch {
	case err == nil && len(data) > maxConfig:
		err = fmt.Errorf("%s: more than %d bytes", tilde(name), maxConfig)
	case err == nil:
		return file, data, nil
	case ctx.Err() != nil:
		return nil, nil, err
	case f.name == "" && errors.Is(err, fs.ErrNotExist):
		link := dangling(name)
		if link == "" {
			return nil, nil, nil
		}
		err = fmt.Errorf("%w: %s is a link that leads to nothing", err, link)
	}
	if file != nil {
		file.Close()
	}
	if f.name == "" {
		err = fmt.Errorf("%w: --no-config does without that file", err)
	}
	return nil, nil, inputError{err}
}

// maxConfig is the size of the largest file that is read, in bytes.
const maxConfig = 1 << 20

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

// apply gives the flags of c that were not given the values of the file, and takes note
// of its sections.
func (f *configFlags) apply(a *app, c *cobra.Command) error {
	file, data, err := f.open(c.Context())
	if file == nil {
		return err
	}
	defer file.Close()
	settings, sections, err := parseConfig(tilde(file.Name()), data)
	if err != nil {
		return usageError{err}
	}
	all := slices.Clone(settings)
	f.from = make(map[string]string)
	for _, s := range settings {
		if err := s.check(c.Root(), ""); err != nil {
			return usageError{err}
		}
		if flag := c.Flags().Lookup(s.key); flag != nil && !flag.Changed && !outdone(c.Flags(), s.key) {
			if err := s.set(flag); err != nil {
				return usageError{err}
			}
			f.from[s.key] = s.where
			f.settings = append(f.settings, s)
		}
	}
	f.origins = make(map[string]*originSection)
	for _, s := range sections {
		if err := f.addSection(a, c, s); err != nil {
			return usageError{err}
		}
		all = append(all, s.settings...)
	}
	if slices.ContainsFunc(all, setting.secret) {
		if err := private(file); err != nil {
			return inputError{err}
		}
	}
	return nil
}

// outdone reports whether flags were given that contradict the one of a setting.
func outdone(flags *pflag.FlagSet, key string) bool {
	is := func(row string) bool { return strings.TrimRight(row, "!") == key }
	for _, row := range contradictions {
		flag, _, _ := strings.Cut(row.flag, "=")
		for text := range strings.FieldsSeq(row.others) {
			other, _, _ := strings.Cut(text, "=")
			if is(flag) && given(flags, text) || is(other) && given(flags, row.flag) {
				return true
			}
		}
	}
	return false
}

// tell says which values are from a file.
func (f *configFlags) tell(a *app) {
	for _, s := range f.settings {
		a.remark("%s from %s", s.shown(), s.where)
	}
}

// addSection takes note of a section.
func (f *configFlags) addSection(a *app, c *cobra.Command, s *originSection) error {
	u, err := url.Parse(s.origin)
	switch {
	case err != nil || u.Host == "" || url.Describe(u.Scheme) == "":
		return fmt.Errorf("%s: %q is no origin: write it like [\"https://example.org\"]", s.where, url.Redact(s.origin))
	case u.User != nil || strings.Trim(u.Path, "/") != "" || u.Query != "" || u.Fragment != "":
		return fmt.Errorf("%s: %s is more than an origin: a section is for all of a server", s.where, u.Redacted())
	}
	if before := f.origins[originOf(u)]; before != nil {
		return fmt.Errorf("%s: a second section for the origin of %s", s.where, before.where)
	}
	for _, set := range s.settings {
		if err := set.check(c.Root(), u.Scheme); err != nil {
			return err
		}
	}
	f.origins[originOf(u)] = s
	return s.prepare(a, c)
}

// originOf is the key of an origin.
func originOf(u *url.URL) string { return u.Scheme + "://" + u.Addr() }

// check returns an error if s has no place where it stands: in a section for a scheme,
// or for all if that is "".
func (s setting) check(root *cobra.Command, scheme string) error {
	schemes, limited := onlyFor[s.key]
	switch {
	case !isFlag(root, s.key):
		names := slices.DeleteFunc(flagNames(root), func(name string) bool { return has(oneRun, name) })
		return fmt.Errorf("%s: there is no flag %q%s", s.where, s.key, didYouMean("%q", nearest(names, s.key)))
	case has(oneRun, s.key):
		return fmt.Errorf("%s: %s is for a command line", s.where, s.key)
	case scheme != "" && !has(ofOrigins, s.key):
		return fmt.Errorf("%s: %s is not for one origin: write it before the first section", s.where, s.key)
	case scheme == "" && has(onlyOfOrigins, s.key):
		return fmt.Errorf("%s: %s is for one origin: write it in a section like [\"https://example.org\"]", s.where, s.key)
	case scheme == "" && s.key == "header" && s.secret():
		return fmt.Errorf("%s: that header is a secret, which is for one origin: write it in a section like [\"https://example.org\"]", s.where)
	case scheme != "" && limited && !has(schemes, scheme):
		return fmt.Errorf("%s: %s means nothing for %s", s.where, s.key, scheme)
	}
	if err := s.sendable(); err != nil {
		return fmt.Errorf("%s: %w", s.where, err)
	}
	return nil
}

// sendable returns an error if s is a header field, or several, that cannot be sent.
func (s setting) sendable() error {
	switch s.key {
	case "header":
		_, err := (&askFlags{headers: s.values}).header()
		return err
	case "user-agent", "referer", "cookie":
		return http.CheckFields(textproto.MIMEHeader{textproto.CanonicalMIMEHeaderKey(s.key): s.values})
	}
	return nil
}

// set gives a flag the values.
func (s setting) set(flag *pflag.Flag) error {
	list, several := flag.Value.(pflag.SliceValue)
	if several {
		list.Replace(nil)
	}
	if _, entries := flag.Value.(*urnFlags); len(s.values) != 1 && !several && !entries {
		return fmt.Errorf("%s: %s has one value, not %d", s.where, s.key, len(s.values))
	}
	for _, v := range s.values {
		err := error(nil)
		if several {
			err = list.Append(v)
		} else {
			err = flag.Value.Set(v)
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", s.where, s.key, err)
		}
	}
	return nil
}

// shown returns the values as they may be seen.
func (s setting) shown() string { return s.text(http.MaskedSent) }

// secret reports whether the values hold a secret. A header field counts by its name, since
// most fields that are masked hold none.
func (s setting) secret() bool { return strings.Contains(s.text(http.Masked), "***") }

// text returns the values with the passwords masked, and header fields as field has it.
func (s setting) text(field func(name, value string) string) string {
	values := make([]string, len(s.values))
	for i, v := range s.values {
		values[i] = maskedValue(s.key, v, field)
	}
	return "--" + s.key + " " + strings.Join(values, ", ")
}

// maskedValue returns the value of a flag with the passwords masked, and a header field as
// field has it.
func maskedValue(flag, v string, field func(name, value string) string) string {
	name, value, ok := strings.Cut(v, ":")
	switch flag {
	case "header":
		return name + ": " + field(name, strings.TrimSpace(value))
	case "cookie", "referer":
		return field(flag, v)
	case "user", "proxy-user", "cert": // curl takes FILE:PASSWORD for --cert
		if ok {
			return name + ":***"
		}
		return v
	case "form":
		if name, _, ok := strings.Cut(v, "="); ok {
			return name + "=***"
		}
	}
	return url.Redact(v)
}

// isFlag reports whether a command has the flag.
func isFlag(root *cobra.Command, name string) bool { return slices.Contains(flagNames(root), name) }

// flagNames returns the names of the flags of all commands.
func flagNames(root *cobra.Command) (names []string) {
	for _, c := range append(root.Commands(), root) {
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// parseConfig reads a file. Settings and sections are in its order.
func parseConfig(name string, data []byte) (settings []setting, sections []*originSection, err error) {
	var all map[string]any
	if err := toml.Unmarshal(data, &all); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			line, _ := where.Position()
			return nil, nil, fmt.Errorf("%s:%d: %s", name, line, strings.TrimPrefix(err.Error(), "toml: "))
		}
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	lines := linesOf(data)
	at := func(path ...string) string {
		for n := len(path); n > 0; n-- {
			if line, ok := lines[strings.Join(path[:n], "\x00")]; ok {
				return name + ":" + strconv.Itoa(line)
			}
		}
		return name
	}
	read := func(table map[string]any, path ...string) (list []setting, err error) {
		for key, value := range table {
			s := setting{key: key, where: at(append(slices.Clone(path), key)...)}
			if s.values, err = texts(value); err != nil {
				return nil, fmt.Errorf("%s: %s %w", s.where, key, err)
			}
			list = append(list, s)
		}
		slices.SortFunc(list, func(a, b setting) int { return compareLines(a.where, b.where) })
		return list, nil
	}
	tables := func(from map[string]any, path ...string) error {
		for key, value := range from {
			table, ok := value.(map[string]any)
			if !ok || key == "origin" && len(path) == 0 {
				continue
			}
			way := append(slices.Clone(path), key)
			s := &originSection{origin: key, where: at(way...)}
			if s.settings, err = read(table, way...); err != nil {
				return err
			}
			sections = append(sections, s)
			delete(from, key)
		}
		return nil
	}
	if err := tables(all); err != nil {
		return nil, nil, err
	}
	if origins, ok := all["origin"].(map[string]any); ok {
		if err := tables(origins, "origin"); err != nil {
			return nil, nil, err
		}
		for key := range origins {
			return nil, nil, fmt.Errorf("%s: a section for origins is like [origin.\"https://example.org\"]", at("origin", key))
		}
		delete(all, "origin")
	}
	slices.SortFunc(sections, func(a, b *originSection) int { return compareLines(a.where, b.where) })
	settings, err = read(all)
	return settings, sections, err
}

// linesOf returns on which lines keys stand, by their parts with NULs between them.
func linesOf(data []byte) map[string]int {
	lines := make(map[string]int)
	var p unstable.Parser
	p.Reset(data)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		var path []string
		line := 0
		for key := e.Key(); key.Next(); {
			path = append(path, string(key.Node().Data))
			line = p.Shape(key.Node().Raw).Start.Line
		}
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = path
		case unstable.KeyValue:
			path = append(slices.Clone(table), path...)
		default:
			continue
		}
		for n := range path {
			part := strings.Join(path[:n+1], "\x00")
			if _, known := lines[part]; !known || n == len(path)-1 {
				lines[part] = line
			}
		}
	}
	return lines
}

func compareLines(a, b string) int {
	number := func(where string) int {
		n, _ := strconv.Atoi(where[strings.LastIndexByte(where, ':')+1:])
		return n
	}
	return number(a) - number(b)
}

// texts returns a value as it would stand on a command line, and each of a list.
func texts(value any) ([]string, error) {
	switch v := value.(type) {
	case string:
		return []string{v}, nil
	case bool:
		return []string{strconv.FormatBool(v)}, nil
	case int64:
		return []string{strconv.FormatInt(v, 10)}, nil
	case float64:
		return []string{strconv.FormatFloat(v, 'f', -1, 64)}, nil
	case []any:
		var list []string
		for _, one := range v {
			text, err := texts(one)
			if err != nil || len(text) != 1 {
				return nil, errors.New("is a list of something else than words and numbers")
			}
			list = append(list, text...)
		}
		return list, nil
	}
	return nil, errors.New("is no word, number, true or false, or a list of them")
}
