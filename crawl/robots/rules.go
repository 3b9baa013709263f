package robots

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"
)

// MaxSize is the maximum size of a robots.txt in bytes; the rest is ignored. Google has the same
// limit. It is the minimum of RFC 9309, section 2.5.
const MaxSize = 500 << 10

// maxDelay is the maximum accepted Crawl-delay.
const maxDelay = time.Hour

// Rules are the parsed groups of a robots.txt. A nil *Rules has none.
type Rules struct {
	Sitemaps []string // as written, in order; may be relative or invalid URLs
	groups   []group
}

// A group is a sequence of User-agent lines and the rules that follow.
type group struct {
	agents []string // in lower case
	rules  []Rule
	delay  time.Duration
}

// A Rule is an Allow or Disallow line.
type Rule struct {
	Allow bool
	Path  string // as written
	Line  int    // from 1

	pattern pattern
}

// String returns the rule as a line: "Disallow: /private".
func (r *Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Path
	}
	return "Disallow: " + r.Path
}

// Parse parses the first MaxSize bytes of a robots.txt, without the line at the cut. It skips
// malformed lines. The error is that of r.
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

// lastEnd returns the offset after the last complete line.
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
		case c == '\r': // LF may follow
			return 0, nil, nil
		}
	}
	if atEOF && len(data) > 0 {
		return len(data), data, nil
	}
	return 0, nil, nil
}

// keyValue returns the key of a line, in lower case, and its value. The colon may be missing if the
// line has two words.
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
	value = strings.Clone(strings.TrimSpace(value)) // the clone releases the rest of the line
	return key, value, key != ""
}

// A parser processes the lines of a robots.txt in order.
type parser struct {
	rules *Rules
	ruled bool // the last group has rules: another User-agent begins a new group
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
			return // rules without a User-agent
		}
		p.ruled = true
		if value != "" { // an empty Disallow has no effect
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

// product returns the product token at the beginning of a User-agent value, in lower case, or "*"
// (RFC 9309, section 2.2.1). The rest, such as a version, is ignored.
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
