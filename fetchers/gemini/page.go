package gemini

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Link is a link line of a page. It is the Sys of an Entry.
type Link struct {
	Reference string // as written in the page
	Label     string // "" if there is none
}

// ParseLink parses a link line of a page: "=>", a reference, and an optional label, separated by
// blanks and TABs.
func ParseLink(line string) (Link, bool) {
	rest, ok := strings.CutPrefix(line, "=>")
	if rest = strings.Trim(rest, blanks); !ok || rest == "" {
		return Link{}, false
	}
	end := strings.IndexAny(rest, blanks)
	if end < 0 {
		return Link{Reference: rest}, true
	}
	return Link{Reference: rest[:end], Label: strings.Trim(rest[end:], blanks)}, true
}

const blanks = " \t\r"

// maxLine limits a link line in bytes. Other lines may be longer, since each is a paragraph.
const maxLine = 64 << 10

// ParsePage parses the links of a page, in order. A link into the directory of base has the file
// name as its Name and the label as its Title. Any other link has the label as its Name, or the
// reference if there is no label. An invalid link line is Unparsed. Preformatted text has no links.
func ParsePage(base *url.URL, body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		in := bufio.NewReaderSize(body, maxLine)
		preformatted, within := false, false // within a line whose beginning has been read
		for {
			piece, err := in.ReadSlice('\n')
			more, begins := err == bufio.ErrBufferFull, !within
			if err != nil && err != io.EOF && !more { // the text before the error is an incomplete line
				yield(fetchers.Entry{}, err)
				return
			}
			within = more
			switch line := strings.TrimRight(string(piece), "\r\n"); {
			case !begins:
			case strings.HasPrefix(line, "```"):
				preformatted = !preformatted
			case preformatted || !strings.HasPrefix(line, "=>"):
			case more:
				yield(fetchers.Entry{}, fmt.Errorf("%w: a link of more than %d bytes", fetchers.ErrProtocol, maxLine))
				return
			default:
				if !yield(entry(base, line), nil) {
					return
				}
			}
			if err == io.EOF {
				return
			}
		}
	}
}

// entry returns a line that begins as a link as an Entry.
func entry(base *url.URL, line string) fetchers.Entry {
	link, ok := ParseLink(line)
	if !ok {
		return unparsed(line)
	}
	u, err := base.Resolve(link.Reference)
	if err != nil {
		return unparsed(line)
	}
	e := fetchers.Entry{URL: u, Name: link.Label, Size: -1, Sys: link}
	if e.Name == "" {
		e.Name = link.Reference
	}
	switch {
	case u.Scheme != "gemini":
		if url.Interactive(u.Scheme) {
			e.Kind = fetchers.Session
		}
		return e
	case u.Query == "" && strings.HasSuffix(u.Path, "/"), u.Path == "":
		e.Kind = fetchers.Listing
	default:
		e.Kind, e.MediaType = fetchers.Document, typeByName(u.Path)
	}
	if name, ok := childName(base, u); ok {
		e.Name, e.Title = name, strings.Join(strings.Fields(link.Label), " ") // some have columns
	}
	return e
}

func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}

// typeByName returns the media type that a name implies. A page has the ending gmi or gemini.
func typeByName(name string) string {
	if strings.HasSuffix(name, ".gmi") || strings.HasSuffix(name, ".gemini") {
		return pageType
	}
	return fetchers.TypeByName(name)
}

// childName returns the name of u in the directory of base, and false if it is not in that.
func childName(base, u *url.URL) (string, bool) {
	dir, err := base.Resolve("./")
	if err != nil || u.Query != "" {
		return "", false
	}
	path := strings.TrimSuffix(u.Path, "/")
	name := url.Unescape(path[strings.LastIndexByte(path, '/')+1:])
	child, err := dir.Child(name)
	if err != nil || !child.Holds(u) || !u.Holds(child) {
		return "", false
	}
	return name, true
}
