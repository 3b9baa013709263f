package prospero

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A text is a whole reply. If the server reports a failure at the end, so does the text, after all
// other bytes.
type text struct {
	message *bytes.Reader
	refused error
}

func (t text) Read(p []byte) (int, error) {
	n, err := t.message.Read(p)
	if err == io.EOF && t.refused != nil {
		err = t.refused
	}
	return n, err
}

func (text) Close() error { return nil }

// parse parses the links of a directory. A FAILURE after some of them ends the sequence.
func parse(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		lines, link := newLexer(body), (*Link)(nil)
		for count := 0; ; {
			line, err := lines.line()
			if err == nil {
				err = refusal(line)
			}
			if link != nil && (err != nil || line[0] == "LINK") {
				if !yield(link.entry(), nil) {
					return
				}
				link = nil
			}
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(fetchers.Entry{}, err)
				return
			case line[0] != "LINK":
				if link != nil {
					link.take(line)
				}
				continue
			}
			if count++; count > maxItems {
				yield(fetchers.Entry{}, fmt.Errorf("%w: more than %d links", fetchers.ErrProtocol, maxItems))
				return
			}
			if link, err = parseLink(line); err != nil {
				link = nil
				if !yield(fetchers.Entry{Kind: fetchers.Unparsed, Name: strings.Join(line, " "), Size: -1}, nil) {
					return
				}
			}
		}
	}
}

// entry returns the entry for l in a listing. A link to another service has the URL of that service
// (RFC 1738, section 3.11).
func (l *Link) entry() fetchers.Entry {
	e := fetchers.Entry{
		Name: l.Name, Title: valueOf(l.Attributes, "MENU-ITEM-DESCRIPTION"),
		Size: sizeOf(l.Attributes), ModTime: modTimeOf(l.Attributes),
		Attributes: map[string]string{"prospero.target": l.Target}, Sys: l,
	}
	if mode, ok := unixMode(valueOf(l.Attributes, "UNIX-MODES")); ok {
		e.Attributes["unix.mode"] = mode
	}
	if l.Type == "U" {
		e.Attributes["prospero.link"] = "union"
	}
	if l.ID != "" {
		e.Attributes["prospero.id"] = l.ID
	}
	switch l.Target {
	case "EXTERNAL":
		l.lead(&e)
	case "SYMBOLIC", "NULL":
		// a path in a virtual system of a user; a link without read permission
	default:
		if o, ok := l.object(); ok {
			e.URL = o.url()
		}
		switch l.Target {
		case "FILE":
			e.Kind = fetchers.Document
		case "DIRECTORY":
			e.Kind = fetchers.Listing
		}
	}
	if e.URL == nil {
		e.Kind = fetchers.Text
	}
	if e.Kind == fetchers.Document {
		e.MediaType = mediaTypeOf(l.Attributes, l.Name)
	}
	return e
}

// lead sets the URL of e to that of the first supported access method.
func (l *Link) lead(e *fetchers.Entry) {
	methods := methodsOf(l.Attributes)
	from := place{hostType: l.HostType, nameType: l.NameType, name: l.HSOName}
	from.host, from.port, _ = parseHost(l.Host)
	for _, m := range methods {
		if e.URL, e.Kind = m.url(from); e.URL != nil {
			return
		}
	}
	if len(methods) > 0 {
		e.Attributes["prospero.access"] = names(methods)
	}
}

// unixMode returns the permissions in a mode of "ls -l", in octal.
func unixMode(modes string) (string, bool) {
	if len(modes) != 10 {
		return "", false
	}
	mode := 0
	for i, c := range modes[1:] {
		mode <<= 1
		switch {
		case c == '-':
		case c == rune("rwxrwxrwx"[i]):
			mode |= 1
		default:
			return "", false // such as the s of set-user-ID
		}
	}
	return fmt.Sprintf("%04o", mode), true
}
