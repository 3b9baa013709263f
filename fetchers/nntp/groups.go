package nntp

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// groups lists the groups that match a pattern: the lines of LIST COUNTS, or else of LIST ACTIVE,
// with the description of LIST NEWSGROUPS after a TAB (RFC 3977, section 7.6; RFC 6048).
func (s *session) groups(req *fetchers.Request, what target) (*fetchers.Resource, error) {
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Listing, MediaType: "text/nntp-groups", Size: -1, Parse: groupParser(what)}
	if req.Describe {
		return s.done(res), nil
	}
	lists, known, err := s.offers("LIST")
	if err != nil {
		return nil, err
	}
	argument, wanted := " "+what.Wildmat, func(string) bool { return true }
	if !known && what.Wildmat != "*" {
		// Old servers interpret patterns in different ways.
		if pattern, ok := compile(what.Wildmat); ok {
			argument, wanted = "", pattern.match
		}
	}
	if what.Wildmat == "*" {
		argument = ""
	}
	if err := s.compress(); err != nil {
		return nil, err
	}
	descriptions, err := s.descriptions(argument)
	if err != nil {
		return nil, err
	}
	command := "LIST ACTIVE"
	if has(lists, "COUNTS") {
		command = "LIST COUNTS"
	}
	if _, err = s.ask(command+argument, 215); err != nil {
		return nil, err
	}
	res.Reply = s.last
	s.conn.Flow()
	b := &block{s: s, lease: s.lease, text: s.text()}
	lines := bufio.NewReaderSize(b, maxLine)
	res.SetBody(&described{block: b, lines: lines, of: descriptions, wanted: wanted})
	return res, nil
}

// Limits of the descriptions that are held in memory: in bytes, and in number, since each has an
// overhead. All of Usenet has some five million.
const (
	maxDescriptions = 16 << 20
	maxDescribed    = 1 << 19
)

// Limits of a list that is read before there is a Body, in lines and in bytes.
const (
	maxListed      = 1 << 24
	maxListedBytes = 256 << 20
)

// descriptions requests the descriptions of groups, by name. A server without them is accepted.
func (s *session) descriptions(argument string) (map[string]string, error) {
	if _, err := s.ask("LIST NEWSGROUPS"+argument, 215); err != nil {
		if s.broken == nil && (refused(err) || s.last.Code == 403) {
			return nil, nil
		}
		return nil, err
	}
	s.conn.AwaitList()
	of, held, left := make(map[string]string), 0, false
	lines := scan(s.text(), maxLine)
	for n := 1; lines.Scan(); n++ {
		held += len(lines.Bytes())
		if n > maxListed || held > maxListedBytes {
			return nil, s.breaks(fmt.Errorf("%w: endless descriptions", fetchers.ErrProtocol))
		}
		if held > maxDescriptions || n > maxDescribed {
			left = true
			continue
		}
		line := lines.Text()
		if i := strings.IndexAny(line, " \t"); i > 0 { // sn separates by a space
			of[line[:i]] = strings.TrimSpace(line[i:])
		}
	}
	if left {
		s.trace.Note(fmt.Sprintf("descriptions beyond %d, or beyond %d bytes, are left out", maxDescribed, maxDescriptions))
	}
	if err := lineError(lines.Err()); err != nil {
		return nil, s.breaks(err)
	}
	return of, nil
}

// A described is a list of groups with their descriptions.
type described struct {
	*block
	lines  *bufio.Reader
	of     map[string]string
	wanted func(group string) bool
	line   []byte // unread rest of a line
}

func (d *described) Read(p []byte) (int, error) {
	for len(d.line) == 0 {
		line, err := d.lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			d.Close()
			err = lineError(bufio.ErrTooLong)
		}
		if err != nil {
			return 0, err
		}
		text := strings.TrimRight(string(line), "\r\n")
		name, _, _ := strings.Cut(text, " ")
		if !d.wanted(name) {
			continue
		}
		if about := d.of[name]; about != "" {
			text += "\t" + about
		}
		d.line = []byte(text + "\r\n")
	}
	n := copy(p, d.line)
	d.line = d.line[n:]
	return n, nil
}

// A Group is the information about a newsgroup from a server. It is the Sys of an Entry in the
// listing of groups.
type Group struct {
	Name        string
	Low, High   uint64 // water marks
	Count       uint64 // number of articles, possibly estimated
	Status      string // y, n, m and others (RFC 6048, section 3.1)
	Description string
}

// ParseGroup parses a line of LIST ACTIVE or LIST COUNTS, with an optional description after a TAB.
// It returns false for any other line.
func ParseGroup(line string) (g Group, ok bool) {
	line, g.Description, _ = strings.Cut(line, "\t")
	fields := strings.Fields(line)
	if len(fields) != 4 && len(fields) != 5 {
		return Group{}, false
	}
	g.Name, g.Status = fields[0], fields[len(fields)-1]
	for i, to := range []*uint64{&g.High, &g.Low, &g.Count}[:len(fields)-2] {
		n, err := strconv.ParseUint(fields[i+1], 10, 64)
		if err != nil {
			return Group{}, false
		}
		*to = n
	}
	if len(fields) == 4 && g.High >= g.Low && g.High > 0 {
		g.Count = g.High - g.Low + 1
	}
	return g, true
}

// groupParser returns a Parse for a list of groups.
func groupParser(what target) parse {
	return parser(func(line string) fetchers.Entry {
		g, ok := ParseGroup(line)
		if !ok {
			return unparsed(line)
		}
		e := fetchers.Entry{
			Name: g.Name, Kind: fetchers.Listing, Size: -1, URL: what.group(g.Name), Title: g.Description,
			Attributes: map[string]string{
				"count": strconv.FormatUint(g.Count, 10), "low": strconv.FormatUint(g.Low, 10),
				"high": strconv.FormatUint(g.High, 10), "status": g.Status,
			},
			Sys: g,
		}
		if e.URL == nil {
			e.Kind = fetchers.Text
		}
		return e
	})
}
