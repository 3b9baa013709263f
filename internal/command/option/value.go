package option

import (
	"errors"
	"fmt"
	"maps"
	"math"
	nethttp "net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/urn"
	"github.com/seed1ea3422f/fetch/url"
)

// A value reads and prints the value of a flag. It is bound to a field of Options.
type value = pflag.Value

// words are any text.
type words string

func text(v *string) value { return (*words)(v) }

func (w *words) String() string { return string(*w) }

func (w *words) Type() string { return "string" }

func (w *words) Set(text string) error {
	*w = words(text)
	return nil
}

// switched is on or off.
type switched bool

func onOff(v *bool) value { return (*switched)(v) }

func (s *switched) String() string { return strconv.FormatBool(bool(*s)) }

func (s *switched) Type() string { return "bool" }

func (s *switched) Set(text string) error {
	on, err := strconv.ParseBool(text)
	*s = switched(on)
	return err
}

// several are texts, to which each value adds one. It is a pflag.SliceValue.
type several []string

func list(v *[]string) value { return (*several)(v) }

func (l *several) String() string { return "[" + strings.Join(*l, ",") + "]" }

func (l *several) Type() string { return "stringArray" }

func (l *several) Set(text string) error { return l.Append(text) }

func (l *several) Append(text string) error {
	*l = append(*l, text)
	return nil
}

func (l *several) Replace(texts []string) error {
	*l = texts
	return nil
}

func (l *several) GetSlice() []string { return *l }

// seconds are a duration in seconds, with a fraction if need be.
type seconds time.Duration

func inSeconds(d *time.Duration) value { return (*seconds)(d) }

func (s *seconds) String() string {
	return strings.TrimSuffix(fmt.Sprintf("%g", time.Duration(*s).Seconds()), "s")
}

func (s *seconds) Type() string { return "seconds" }

func (s *seconds) Set(text string) error {
	d, err := time.ParseDuration(text + "s")
	if err != nil || d < 0 {
		return fmt.Errorf("not a number of seconds: %q", url.Redact(text))
	}
	if d == 0 && strings.ContainsAny(text, "123456789") {
		d = 1 // 0 means no limit
	}
	*s = seconds(d)
	return nil
}

// quantity is a number of bytes. As for curl, a k is 1024.
type quantity int64

func inBytes(n *int64) value { return (*quantity)(n) }

func (q *quantity) String() string { return strconv.FormatInt(int64(*q), 10) }

func (q *quantity) Type() string { return "bytes" }

func (q *quantity) Set(text string) error {
	shift := 0
	digits := strings.TrimRight(text, "kKmMgGtT")
	switch strings.ToLower(text[len(digits):]) {
	case "":
	case "k":
		shift = 10
	case "m":
		shift = 20
	case "g":
		shift = 30
	case "t":
		shift = 40
	default:
		return fmt.Errorf("not a number of bytes: %q", url.Redact(text))
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("not a number of bytes: %q", url.Redact(text))
	}
	if n > math.MaxInt64>>shift {
		return errors.New("too many bytes")
	}
	*q = quantity(n << shift)
	return nil
}

// A count is a number from least to most.
type count struct {
	n           *int
	least, most int
}

// atLeast is a count without an upper bound of its own.
func atLeast(least int, n *int) value { return &count{n, least, math.MaxInt32} }

func (c *count) String() string {
	if c.n == nil {
		return "0" // pflag asks a zero value
	}
	return strconv.Itoa(*c.n)
}

func (c *count) Type() string { return "number" }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	case err == nil && c.least <= n && n <= c.most:
		*c.n = n
		return nil
	case c.most == math.MaxInt32:
		return fmt.Errorf("not a number from %d on: %q", c.least, url.Redact(text))
	}
	return fmt.Errorf("not a number from %d to %d: %q", c.least, c.most, url.Redact(text))
}

// A choice is one of several words.
type choice struct {
	word  *string
	words []string
}

func oneOf(word *string, words ...string) value { return &choice{word, words} }

func (c *choice) String() string {
	if c.word == nil {
		return ""
	}
	return *c.word
}

func (c *choice) Type() string { return "word" }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("not one of %s: %q", strings.Join(c.words, ", "), url.Redact(text))
	}
	*c.word = text
	return nil
}

// An Offset is a place to continue at: a number of bytes, or Whole for the end of the file.
type Offset struct {
	At    int64
	Whole bool
}

func (o *Offset) String() string {
	if o.Whole {
		return "-"
	}
	return strconv.FormatInt(o.At, 10)
}

// Type names the kind of the value.
func (o *Offset) Type() string { return "offset" }

// Set reads "-" or a number of bytes.
func (o *Offset) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if o.Whole = text == "-"; !o.Whole && (err != nil || n < 0) {
		return fmt.Errorf("neither - nor a number of bytes: %q", url.Redact(text))
	}
	o.At = n
	return nil
}

// Since is a point in time: a date in one of the forms that people and servers write, or
// the time of a file. Older is true after a "-": a copy that is not newer is wanted.
type Since struct {
	time.Time
	Older bool
}

func (s *Since) String() string {
	if s.IsZero() {
		return ""
	}
	return s.UTC().Format(time.RFC3339)
}

// Type names the kind of the value.
func (s *Since) Type() string { return "date" }

// Set reads a date or the time of a file.
func (s *Since) Set(text string) (err error) {
	text, s.Older = strings.CutPrefix(text, "-")
	for _, layout := range []string{time.RFC3339, time.DateTime, time.DateOnly, "20060102", "2 Jan 2006", "2 Jan 2006 15:04:05"} {
		if s.Time, err = time.Parse(layout, text); err == nil {
			return nil
		}
	}
	if s.Time, err = nethttp.ParseTime(text); err == nil {
		return nil
	}
	info, err := os.Stat(text)
	if err != nil {
		return fmt.Errorf("neither a date nor a file: %q", url.Redact(text))
	}
	s.Time = info.ModTime()
	return nil
}

// A SchemeList is a list of schemes, which is read as curl does: "=" before one is for
// that one only, "+" adds one and "-" takes one away, and all is every scheme. A list that
// begins with none of them allows the schemes that it names, and no others.
type SchemeList struct {
	text   string
	listed map[string]bool
	others *bool // nil if those that are not listed are as usual
}

func (l *SchemeList) String() string { return l.text }

// Type names the kind of the value.
func (l *SchemeList) Type() string { return "list" }

// Set reads a list.
func (l *SchemeList) Set(text string) error {
	*l = SchemeList{text: text, listed: make(map[string]bool)}
	for word := range strings.SplitSeq(strings.ToLower(text), ",") {
		name := strings.TrimLeft(word, "=+-")
		sign := strings.TrimSuffix(word, name)
		allowed := sign != "-"
		switch {
		case sign == "=", sign == "" && l.others == nil && len(l.listed) == 0:
			l.listed, l.others = map[string]bool{name: true}, new(bool)
		default:
			l.listed[name] = allowed
		}
		switch {
		case name == "all":
			l.listed, l.others = make(map[string]bool), &allowed
		case url.Describe(name) == "" || len(sign) > 1:
			return fmt.Errorf("no scheme %q: fetch schemes lists them", url.Redact(word))
		}
	}
	return nil
}

// Allows reports whether the list allows a scheme, and whether it says so at all.
func (l *SchemeList) Allows(scheme string) (allowed, said bool) {
	if allowed, said = l.listed[scheme]; !said && l.others != nil {
		return *l.others, true
	}
	return allowed, said
}

// Names reports whether the list allows a scheme by its name, not by "all".
func (l *SchemeList) Names(scheme string) bool { return l.listed[scheme] }

// table is a urn.Table, to which each value adds an entry.
type table struct{ urn *urn.Table }

func (t table) Set(entry string) error {
	if *t.urn == nil {
		*t.urn = urn.Table{}
	}
	return t.urn.Add(entry)
}

func (t table) String() string {
	if t.urn == nil {
		return ""
	}
	var entries []string
	for _, beginning := range slices.Sorted(maps.Keys(*t.urn)) {
		entries = append(entries, fmt.Sprintf("%s=%s", beginning, (*t.urn)[beginning]))
	}
	return strings.Join(entries, " ")
}

func (t table) Type() string { return "entry" }
