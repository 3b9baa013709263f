package gopher

import (
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An Item is one line of a menu, with its Gopher+ attributes. It is the Sys of an Entry.
type Item struct {
	Type     byte
	Name     string // for display; the bytes may be in any character set
	Selector string
	Host     string
	Port     string // a number, except in lines of text
	Plus     byte   // '+' marks a Gopher+ item, '?' one with a form; 0 is neither

	// Blocks are the attributes of the item, in the order of the server. Answers to "!" and "$"
	// have them.
	Blocks []Block

	same byte // for type "+", a mirror: the type of the original item
}

// ParseItem parses a line of a menu (RFC 1436, section 3.9): type and name, selector, host and
// port, separated by TABs, and a mark in Gopher+. It returns false if a field is missing, unless
// the line is only text: servers often omit fields there.
func ParseItem(line string) (Item, bool) {
	fields := strings.Split(line, "\t")
	if fields[0] == "" {
		return Item{}, false
	}
	item := Item{Type: line[0], Name: fields[0][1:]}
	if len(fields) < 4 {
		return item, kindOf(item.Type) == fetchers.Text
	}
	item.Selector, item.Host, item.Port = fields[1], fields[2], strings.TrimSpace(fields[3])
	if len(fields) > 4 && fields[4] != "" && strings.IndexByte("+?", fields[4][0]) >= 0 {
		item.Plus = fields[4][0]
	}
	return item, true
}

// typ returns the type, or for "+" that of the original item.
func (i Item) typ() byte {
	if i.Type == '+' && i.same != 0 {
		return i.same
	}
	return i.Type
}

// URL returns the URL of the item: a link for "h" with "URL:", a telnet or tn3270 URL for a
// session, and otherwise a gopher URL, in which a Gopher+ mark has the form of RFC 1738, section
// 3.4.4. It returns nil for a line of text, and if the fields make no valid URL.
func (i Item) URL() *url.URL {
	if link := linkOf(i.typ(), i.Selector); link != nil {
		return link
	}
	port, err := strconv.ParseUint(i.Port, 10, 16)
	at := url.Authority{Host: i.Host, Port: uint16(port)}
	var u *url.URL
	switch t := i.typ(); {
	case kindOf(t) == fetchers.Text:
		return nil
	case t == '8', t == 'T':
		if i.Selector != "" {
			at.User = &url.Userinfo{Name: i.Selector}
		}
		u = url.Telnet{Authority: at, Service: serviceOf(t)}.URL()
	case err != nil || port == 0:
		return nil
	default:
		g := url.Gopher{Authority: at, Type: t, Selector: i.Selector}
		if i.Plus != 0 && kindOf(t) != fetchers.Session && t != '7' {
			g.Plus, g.PlusSet = string([]byte{i.Plus}), true
		}
		u = g.URL()
	}
	if u.Port == url.DefaultPort(u.Scheme) {
		u.Port = 0
	}
	return valid(u)
}

// valid returns u in the form of url.Parse, or nil if it cannot be fetched: a server may send any
// host, and any bytes in a selector.
func valid(u *url.URL) *url.URL {
	again, err := url.Parse(u.String())
	if err != nil || again.Host == "" || !strings.EqualFold(again.Host, u.Host) {
		return nil
	}
	if again.Scheme == "gopher" {
		_, err = again.Gopher()
	} else {
		_, err = again.Telnet()
	}
	if err != nil {
		return nil
	}
	return again
}

// linkOf returns the URL in a selector "URL:…" of an item of type "h", or nil. It ignores a link to
// a local file, or one that contains its own content; the server then sends a page.
func linkOf(t byte, selector string) *url.URL {
	text, ok := strings.CutPrefix(strings.TrimPrefix(selector, "/"), "URL:")
	if t != 'h' || !ok {
		return nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil
	}
	switch u.Scheme {
	case "file", "data", "javascript":
		return nil
	}
	return u
}

// entry returns the item as an Entry. An item that should have a URL but has none is Unparsed.
func (i Item) entry(line string) fetchers.Entry {
	t := i.typ()
	e := fetchers.Entry{Name: i.Name, Kind: kindOf(t), Size: -1, ModTime: i.modTime(), Sys: i}
	if e.Kind != fetchers.Text {
		if e.URL = i.URL(); e.URL == nil {
			return unparsed(line)
		}
	}
	switch {
	case e.Kind == fetchers.Text:
	case linkOf(t, i.Selector) != nil:
		e.Kind = fetchers.Unknown
	case t == '7', i.Plus == '?':
		e.Kind = fetchers.Index
	case e.Kind != fetchers.Session:
		e.MediaType = i.mediaType()
	}
	e.Attributes = map[string]string{"gopher.type": string([]byte{i.Type})}
	for _, b := range i.Blocks {
		if b.Name != "INFO" {
			e.Attributes["gopher."+strings.ToLower(b.Name)] = strings.Join(b.Lines, "\n")
		}
	}
	if n, err := strconv.Atoi(i.admin("Score")); err == nil && n > 0 {
		e.Score = n
	}
	return e
}

// mediaType returns the media type of the default view, or of the item type.
func (i Item) mediaType() string {
	t := i.typ()
	if views := i.Views(); len(views) > 0 && kindOf(t) == fetchers.Document {
		return views[0].Type
	}
	return mediaTypeOf(t, i.Selector)
}

// unparsed returns the Entry of a malformed line.
func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}

// A Block is an attribute of an item (Gopher+, section 2.5): a name, such as "ABSTRACT", and lines
// of data.
type Block struct {
	Name  string
	Lines []string
}

// Block returns the lines of the attribute with that name, in any case.
func (i Item) Block(name string) []string {
	for _, b := range i.Blocks {
		if strings.EqualFold(b.Name, name) {
			return b.Lines
		}
	}
	return nil
}

// Views returns the views of the item.
func (i Item) Views() []View { return ParseViews(i.Block("VIEWS")) }

// admin returns a field of the attribute ADMIN, such as "Mod-Date", or "".
func (i Item) admin(name string) string {
	for _, line := range i.Block("ADMIN") {
		key, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(key), name) {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// modTime returns the modification time of the item, or the zero Time. It parses the date in angle
// brackets. That is local time of the server in an unknown zone; modTime assumes UTC.
func (i Item) modTime() time.Time {
	_, date, _ := strings.Cut(i.admin("Mod-Date"), "<")
	date, _, _ = strings.Cut(date, ">")
	when, err := time.Parse("20060102150405", date)
	if err != nil {
		return time.Time{}
	}
	return when
}

// header returns the attributes as header fields, with a value for each line.
func (i Item) header() textproto.MIMEHeader {
	h := make(textproto.MIMEHeader)
	for _, b := range i.Blocks {
		key := textproto.CanonicalMIMEHeaderKey(b.Name)
		h[key] = append(h[key], b.Lines...)
	}
	return h
}
