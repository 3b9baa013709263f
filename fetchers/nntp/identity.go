package nntp

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// choose requests an article, or its header, by a message-id with its angle brackets or by a number
// in the current group. A reply about another article ends the session, since later replies may be
// out of step too.
func (s *session) choose(command, name string, want int) error {
	r, err := s.ask(command+" "+name, want)
	if err != nil {
		return err
	}
	return s.identify(r, name)
}

// identify compares a reply of 220 to 223, "number message-id", with the requested name (RFC 3977,
// section 6.2.1.1; RFC 977, section 3.1.2). If the name is a message-id, the number is not
// compared: it may be 0 or that in any group. Message-ids are compared byte by byte (RFC 3977,
// section 3.6).
func (s *session) identify(r fetchers.Reply, name string) error {
	words := append(strings.Fields(r.Text), "", "")
	number, id := words[0], words[1]
	if strings.HasPrefix(name, "<") && id == name || sameNumber(number, name) {
		return nil
	}
	return s.breaks(fmt.Errorf("%w: %s was requested, but the reply is %d %.300q", fetchers.ErrProtocol, name, r.Code, r.Text))
}

// sameNumber reports whether a and b are the same number.
func sameNumber(a, b string) bool {
	m, errA := strconv.ParseUint(a, 10, 64)
	n, errB := strconv.ParseUint(b, 10, 64)
	return errA == nil && errB == nil && m == n
}

// A numbering finds lines of an overview whose article number is outside of a range. Lines without
// a number are ignored.
type numbering struct {
	first, last uint64
	within      bool   // after the number of the current line
	digits      int    // number of digits in the current line so far
	number      uint64 // value of these digits
}

// maxDigits is the number of digits that always fit in a uint64.
const maxDigits = 19

// check checks the next bytes of the overview.
func (n *numbering) check(p []byte) error {
	for len(p) > 0 {
		if n.within {
			end := bytes.IndexByte(p, '\n')
			if end < 0 {
				return nil
			}
			p = p[end+1:]
			*n = numbering{first: n.first, last: n.last}
			continue
		}
		c := p[0]
		p = p[1:]
		switch {
		case '0' <= c && c <= '9':
			if n.number = n.number*10 + uint64(c-'0'); n.digits >= maxDigits {
				n.number = math.MaxUint64
			}
			n.digits++
		case c == '\n':
			*n = numbering{first: n.first, last: n.last}
		case c == '\t' && n.digits > 0 && (n.number < n.first || n.number > n.last):
			return fmt.Errorf("%w: articles %d to %d were requested, but %d is listed", fetchers.ErrProtocol, n.first, n.last, n.number)
		default:
			n.within = true
		}
	}
	return nil
}
