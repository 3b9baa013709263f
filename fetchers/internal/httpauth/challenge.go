package httpauth

import (
	"fmt"
	"strings"
)

// A Challenge is a challenge of a server (RFC 9110, section 11.3).
type Challenge struct {
	Scheme string            // lower case
	Params map[string]string // by name in lower case; the first of equal names counts
	Token  string            // the token68 that some schemes have in place of parameters
}

// Challenges parses the fields WWW-Authenticate or Proxy-Authenticate. A field may contain several
// challenges; commas separate both challenges and their parameters (RFC 9110, section 11.6.1).
func Challenges(fields []string) (found []Challenge) {
	for _, field := range fields {
		in := scanner(field)
		for in.skip(", \t"); in != ""; in.skip(", \t") {
			word := in.word()
			if word == "" {
				break // the rest of the field is not parsed
			}
			if value, ok := in.value(); ok && len(found) > 0 {
				c := found[len(found)-1]
				if name := strings.ToLower(word); c.Params[name] == "" {
					c.Params[name] = value
				}
				continue
			}
			found = append(found, Challenge{strings.ToLower(word), make(map[string]string), in.token68()})
		}
	}
	return found
}

// A scanner is the rest of a field.
type scanner string

// skip skips leading characters that chars contains.
func (s *scanner) skip(chars string) { *s = scanner(strings.TrimLeft(string(*s), chars)) }

// take takes the next n bytes.
func (s *scanner) take(n int) string {
	taken := string((*s)[:n])
	*s = (*s)[n:]
	return taken
}

// word takes a token (RFC 9110, section 5.6.2).
func (s *scanner) word() string {
	n := strings.IndexFunc(string(*s), func(r rune) bool { return !isTokenChar(r) })
	if n < 0 {
		n = len(*s)
	}
	return s.take(n)
}

// value takes "=" and a token or a quoted string, if they follow.
func (s *scanner) value() (string, bool) {
	rest := *s
	rest.skip(" \t")
	if !strings.HasPrefix(string(rest), "=") {
		return "", false
	}
	rest.take(1)
	rest.skip(" \t")
	value := ""
	if strings.HasPrefix(string(rest), `"`) {
		value = rest.quoted()
	} else {
		value = rest.word()
	}
	*s = rest
	return value, true
}

// quoted takes a quoted string. Without a closing quote it extends to the end.
func (s *scanner) quoted() string {
	var b strings.Builder
	text := s.take(len(*s))
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			*s = scanner(text[i+1:])
			return b.String()
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// token68 takes a token68 (RFC 9110, section 11.2), which may end in "=".
func (s *scanner) token68() string {
	rest := strings.TrimLeft(string(*s), " \t")
	end := strings.IndexAny(rest, ", \t")
	if end < 0 {
		end = len(rest)
	}
	if word := rest[:end]; !strings.Contains(strings.TrimRight(word, "="), "=") && !strings.HasPrefix(strings.TrimLeft(rest[end:], " \t"), "=") {
		*s = scanner(rest[end:])
		return word
	}
	return ""
}

// String returns the scheme, with the reason why this package cannot answer the challenge, if there
// is one.
func (c Challenge) String() string {
	algorithm := c.Params["algorithm"]
	switch {
	case c.Scheme == "negotiate":
		return "negotiate (Kerberos is not supported)"
	case c.Scheme == "ntlm":
		return "ntlm (it is weak, and only used if it is enabled)"
	case c.Scheme != "digest":
	case c.Params["qop"] != "" && !(&digest{Challenge: c}).protects():
		return fmt.Sprintf("digest (its qop %.40q needs a digest of bodies)", c.Params["qop"])
	case algorithm != "" && (&digest{Challenge: c}).hashes() == nil:
		return fmt.Sprintf("digest (its algorithm %.40q is unknown)", algorithm)
	}
	return fmt.Sprintf("%.40s", c.Scheme)
}

func isTokenChar(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
