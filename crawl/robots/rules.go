package robots

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"
)

// MaxSize is how much of a robots.txt is read, in octets, as Google does. RFC 9309, section 2.5
// wants that much.
const MaxSize = 500 << 10

// maxDelay is the longest Crawl-delay that is believed.
const maxDelay = time.Hour

// Rules are what a robots.txt says to all robots. A nil *Rules has none.
type Rules struct {
	Sitemaps []string // as they are written, in order: URLs that may be relative or none at all
	groups   []group
}

// A group is a sequence of User-agent lines and the rules that follow.
type group struct {
	agents []string // in lower case
	rules  []Rule
	delay  time.Duration
}

// A Rule is a line with Allow or Disallow.
type Rule struct {
	Allow bool
	Path  string // as it is written
	Line  int    // from 1

	pattern pattern
}

// String returns the rule as people write it: "Disallow: /private".
func (r *Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Path
	}
	return "Disallow: " + r.Path
}

// Parse reads a robots.txt: no more than MaxSize octets, without the line that this cuts. Lines that
// make no sense are passed over. The error is that of r.
func Parse(r io.Reader) (*Rules, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		text = text[:MaxSize]
		text = text[:lastEnd(text)]
	}
	p := parser{rules: new(Rules)}
	in := bufio.NewScanner(strings.NewReader(strings.TrimPrefix(string(text), "\uFEFF")))
	in.Buffer(nil, MaxSize+1)
	in.Split(splitLines)
	for n := 1; in.Scan(); n++ {
		if key, value, ok := keyValue(in.Text()); ok {
			p.take(key, value, n)
		}
	}
	return p.rules, nil
}

// lastEnd returns where the last line that is whole ends.
func lastEnd(text []byte) int { return strings.LastIndexAny(string(text), "\r\n") + 1 }

// splitLines splits at CR LF, LF and CR.
func splitLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for i, c := range data {
		switch {
		case c == '\n':
			return i + 1, data[:i], nil
		case c == '\r' && i+1 < len(data) && data[i+1] == '\n':
			return i + 2, data[:i], nil
		case c == '\r' && (i+1 < len(data) || atEOF):
			return i + 1, data[:i], nil
		case c == '\r': // a line feed may follow
			return 0, nil, nil
		}
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// keyValue returns the key of a line, in lower case, and its value. Blanks may stand in the place of
// the colon if there are two words.
func keyValue(line string) (key, value string, ok bool) {
	line, _, _ = strings.Cut(line, "#")
	key, value, ok = strings.Cut(line, ":")
	if !ok {
		words := strings.Fields(line)
		if len(words) != 2 {
			return "", "", false
		}
		key, value = words[0], words[1]
	}
	key = strings.ToLower(strings.TrimSpace(key))
	value = strings.Clone(strings.TrimSpace(value)) // or else it would keep the whole line in memory
	return key, value, key != ""
}

// A parser takes the lines of a robots.txt, one after the other.
type parser struct {
	rules *Rules
	ruled bool // the last group has rules: another User-agent begins a new one
}

func (p *parser) take(key, value string, line int) {
	last := len(p.rules.groups) - 1
	switch key {
	case "user-agent", "useragent", "user agent":
		if last < 0 || p.ruled {
			p.rules.groups, p.ruled = append(p.rules.groups, group{}), false
			last++
		}
		g := &p.rules.groups[last]
		g.agents = append(g.agents, product(value))
	case "allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		if last < 0 {
			return // rules for nobody
		}
		p.ruled = true
		if value != "" { // an empty Disallow forbids nothing
			r := Rule{Allow: key == "allow", Path: value, Line: line, pattern: newPattern(value)}
			p.rules.groups[last].rules = append(p.rules.groups[last].rules, r)
		}
	case "crawl-delay":
		if seconds, err := strconv.ParseFloat(value, 64); err == nil && last >= 0 && seconds > 0 {
			p.rules.groups[last].delay = time.Duration(min(seconds, maxDelay.Seconds()) * float64(time.Second))
		}
	case "sitemap", "site-map":
		if value != "" {
			p.rules.Sitemaps = append(p.rules.Sitemaps, value)
		}
	}
}

// product returns the product token that a value of User-agent begins with, in lower case, or "*"
// (RFC 9309, section 2.2.1). What follows, such as a version, does not count.
func product(value string) string {
	if value == "*" || strings.HasPrefix(value, "* ") || strings.HasPrefix(value, "*\t") {
		return "*"
	}
	end := strings.IndexFunc(value, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r == '-')
	})
	if end < 0 {
		end = len(value)
	}
	return strings.ToLower(value[:end])
}
