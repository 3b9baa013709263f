package wais

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// A Source is a parsed source description of a database: the text of type WSRC on servers, and in
// .src files:
//
//	(:source
//	   :version  3
//	   :ip-name "wais.example.com"
//	   :tcp-port 210
//	   :database-name "garden"
//	   :cost 0.00
//	   :cost-unit :free
//	   :maintainer "curator@wais.example.com"
//	   :keyword-list ( hedge seed )
//	   :description "text, may span lines"
//	)
type Source struct {
	Name        string // host name; empty if there is only an Address
	Address     string
	Port        uint16 // 210 by default
	Database    string
	Maintainer  string
	Description string
}

// ErrNotSource means that a text does not begin like a source description.
var ErrNotSource = errors.New("not a source description")

const (
	maxSource = 1 << 20 // maximum size in bytes; long descriptions have some thousand
	maxDepth  = 32      // maximum nesting of parentheses; real descriptions have 3
)

// ParseSource parses a source description. It skips unknown keywords.
func ParseSource(r io.Reader) (*Source, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSource {
		return nil, fmt.Errorf("a source description of more than %d bytes", maxSource)
	}
	t := &tokens{rest: string(text)}
	if t.next() != "(" || !strings.EqualFold(t.next(), ":source") {
		return nil, ErrNotSource
	}
	s := &Source{Port: url.DefaultPort("wais")}
	for {
		key := t.next()
		if key == ")" && !t.quoted {
			break
		}
		if t.err == nil && (t.quoted || !strings.HasPrefix(key, ":")) {
			t.err = fmt.Errorf("%q where a keyword is due", key)
		}
		value := t.value()
		if t.err != nil {
			return nil, fmt.Errorf("source description: %w", t.err)
		}
		switch strings.ToLower(key) {
		case ":ip-name":
			s.Name = value
		case ":ip-address":
			s.Address = value
		case ":tcp-port":
			port, err := strconv.ParseUint(value, 10, 16)
			if err != nil || port == 0 {
				return nil, fmt.Errorf("source description: the port %q", value)
			}
			s.Port = uint16(port)
		case ":database-name":
			s.Database = value
		case ":maintainer":
			s.Maintainer = value
		case ":description":
			s.Description = value
		}
	}
	if s.Database == "" || s.Name == "" && s.Address == "" {
		return nil, errors.New("source description: no database, or no host")
	}
	return s, nil
}

// URL returns the URL of the database. The text is from a stranger: the result is always a wais URL
// of the described host.
func (s *Source) URL() (*url.URL, error) {
	host := s.Name
	if host == "" {
		host = s.Address
	}
	w := url.WAIS{Authority: url.Authority{Host: strings.ToLower(host), Port: s.Port}, Database: s.Database}
	if w.Port == url.DefaultPort("wais") {
		w.Port = 0
	}
	u, err := url.Parse(w.URL().String())
	var again url.WAIS
	if err == nil {
		again, err = u.WAIS()
	}
	if err == nil && again != w {
		err = errors.New("the URL would have other parts")
	}
	if err != nil {
		return nil, fmt.Errorf("source description: the host %q and the database %q: %w", url.Redact(host), s.Database, err)
	}
	return u, nil
}

// tokens splits a source description into parentheses, strings, and other words.
type tokens struct {
	rest   string
	quoted bool // the last token was a string
	err    error
}

// next returns the next token, a string without its quotes.
func (t *tokens) next() string {
	t.rest = strings.TrimLeft(t.rest, " \t\r\n\f")
	t.quoted = false
	if t.rest == "" {
		if t.err == nil {
			t.err = io.ErrUnexpectedEOF
		}
		return ""
	}
	switch t.rest[0] {
	case '(', ')':
		return t.cut(1)
	case '"':
		return t.text()
	}
	end := strings.IndexAny(t.rest, " \t\r\n\f()\"")
	if end < 0 {
		end = len(t.rest)
	}
	return t.cut(end)
}

func (t *tokens) cut(n int) string {
	token := t.rest[:n]
	t.rest = t.rest[n:]
	return token
}

// text reads a string, in which a backslash escapes a quote or a backslash.
func (t *tokens) text() string {
	t.quoted = true
	var b strings.Builder
	for i := 1; i < len(t.rest); i++ {
		c := t.rest[i]
		if c == '"' {
			t.rest = t.rest[i+1:]
			return b.String()
		}
		if c == '\\' && i+1 < len(t.rest) {
			i++
			c = t.rest[i]
		}
		b.WriteByte(c)
	}
	t.rest = ""
	t.err = io.ErrUnexpectedEOF
	return ""
}

// value returns the next value, or "" for a list, which it skips.
func (t *tokens) value() string {
	token := t.next()
	depth := 0
	for {
		switch {
		case t.err != nil:
			return ""
		case !t.quoted && token == "(":
			if depth++; depth > maxDepth {
				t.err = fmt.Errorf("more than %d lists within each other", maxDepth)
			}
		case !t.quoted && token == ")":
			depth--
		case depth == 0 && token == "#" && !t.quoted: // #( … )
			token = t.next()
			continue
		case depth == 0:
			return token
		}
		if depth < 0 {
			t.err = errors.New("a keyword without a value")
		}
		if depth <= 0 {
			return ""
		}
		token = t.next()
	}
}
