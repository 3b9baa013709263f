package fetchers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
)

// A Netrc is a Keychain with the logins of a file in the format of ftp(1), with the extensions of
// curl: quoted words, and "#" for comments.
type Netrc struct {
	// Name is the name of the file, for Credential.Source.
	Name string

	entries []netrcEntry // the entry of "default" has no machine
}

type netrcEntry struct {
	machine         string
	login, password string
	hasLogin        bool
}

// ReadNetrc reads a netrc file. Macro definitions are skipped. An error contains the number of a
// line, and never a password.
func ReadNetrc(r io.Reader) (*Netrc, error) {
	n := new(Netrc)
	lines := bufio.NewScanner(r)
	expect := "" // the keyword whose value comes next
	inMacro := false
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if inMacro { // up to an empty line
			inMacro = strings.TrimSpace(line) != ""
			continue
		}
		words, err := netrcWords(line)
		if err != nil {
			return nil, fmt.Errorf("netrc: line %d: %w", number, err)
		}
		for _, w := range words {
			if expect != "" {
				if expect == "machine" && w.text == "" {
					return nil, fmt.Errorf("netrc: line %d: a machine without a name", number)
				}
				n.set(expect, w.text)
				expect = ""
				continue
			}
			switch {
			case w.quoted:
				return nil, fmt.Errorf("netrc: line %d: a quoted word where a keyword belongs", number)
			case w.text == "default":
				n.entries = append(n.entries, netrcEntry{})
			case w.text == "macdef":
				inMacro = true
			case w.text == "machine":
				expect = w.text
			case w.text == "login", w.text == "password", w.text == "account":
				if len(n.entries) == 0 {
					return nil, fmt.Errorf("netrc: line %d: %q before any machine", number, w.text)
				}
				expect = w.text
			default:
				return nil, fmt.Errorf("netrc: line %d: unknown keyword", number)
			}
			if inMacro {
				break
			}
		}
	}
	if expect != "" {
		return nil, fmt.Errorf("netrc: %q without a value at the end", expect)
	}
	return n, lines.Err()
}

// Rename replaces each machine name by f of it. The result must be the host of a URL, in ASCII.
func (n *Netrc) Rename(f func(name string) string) {
	for i, e := range n.entries {
		if e.machine != "" {
			n.entries[i].machine = f(e.machine)
		}
	}
}

func (n *Netrc) set(keyword, value string) {
	if keyword == "machine" {
		n.entries = append(n.entries, netrcEntry{machine: strings.ToLower(value)})
		return
	}
	e := &n.entries[len(n.entries)-1]
	switch keyword {
	case "login":
		e.login, e.hasLogin = value, true
	case "password":
		e.password = value
	}
}

type netrcWord struct {
	text   string
	quoted bool
}

// netrcWords splits a line into words. In quotes, a backslash escapes the next character; \n, \r
// and \t are control characters. A "#" at the beginning of a word starts a comment.
func netrcWords(line string) ([]netrcWord, error) {
	var words []netrcWord
	for {
		line = strings.TrimLeft(line, " \t\r")
		if line == "" || line[0] == '#' {
			return words, nil
		}
		if line[0] != '"' {
			end := strings.IndexAny(line, " \t\r")
			if end < 0 {
				end = len(line)
			}
			words, line = append(words, netrcWord{text: line[:end]}), line[end:]
			continue
		}
		text, rest, ok := cutQuoted(line[1:])
		if !ok {
			return nil, fmt.Errorf("a quote is not closed")
		}
		words, line = append(words, netrcWord{text, true}), rest
	}
}

func cutQuoted(s string) (text, rest string, ok bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return b.String(), s[i+1:], true
		case c == '\\' && i+1 < len(s):
			i++
			switch s[i] {
			case 'n':
				b.WriteByte('\n')
			case 'r':
				b.WriteByte('\r')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte(s[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", "", false
}

// Lookup returns the first entry for the host and user of the origin. The machine of an entry may
// be host:port, which applies to that port only. A default entry comes last, wherever it stands. If
// the origin was redirected to, only entries with its port apply.
func (n *Netrc) Lookup(_ context.Context, o Origin) (Credential, error) {
	host := strings.ToLower(strings.TrimSuffix(o.Host, "."))
	names := []string{net.JoinHostPort(host, o.Port), host, ""}
	if o.Redirected {
		names = names[:1]
	}
	for _, name := range names {
		for _, e := range n.entries {
			if e.machine != name || o.User != "" && e.hasLogin && e.login != o.User || o.User == "" && !e.hasLogin {
				continue
			}
			c := Credential{User: e.login, Password: e.password, Source: strings.TrimSpace("netrc " + n.Name)}
			if !e.hasLogin {
				c.User = o.User
			}
			return c, nil
		}
	}
	return Credential{}, ErrLogin
}

// Secret reports whether n holds a secret password. The password of the user anonymous is an
// address.
func (n *Netrc) Secret() bool {
	for _, e := range n.entries {
		if e.password != "" && e.login != "anonymous" {
			return true
		}
	}
	return false
}

// Keychains is a Keychain that tries several in order.
type Keychains []Keychain

// Lookup returns the first credential found.
func (k Keychains) Lookup(ctx context.Context, o Origin) (Credential, error) {
	for _, chain := range k {
		c, err := chain.Lookup(ctx, o)
		if !errors.Is(err, ErrLogin) {
			return c, err
		}
	}
	return Credential{}, ErrLogin
}
