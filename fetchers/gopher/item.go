package gopher

import (
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An Item is one line of a menu, with what Gopher+ adds. It is the Sys of an Entry.
type Item struct {
	Type     byte
	Name     string // to be shown; the octets may be in any character set
	Selector string
	Host     string
	Port     string // a number, but for lines that are only text
	Plus     byte   // '+' marks an item of Gopher+, '?' one that has a form; 0 is neither

	// Blocks are the attributes of the item, in the order of the server. They
	// are there in the answers to "!" and "$".
	Blocks []Block

	same byte // of type "+": the type of the item that this is another server for
}

// ParseItem reads a line of a menu (RFC 1436, section 3.9): the type and the name,
// the selector, the host and the port between TABs, and in Gopher+ a mark. It
// returns false if one of them is missing, unless the line is only text: servers
// are free with those.
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

// typ returns the type, or for "+" the one that it stands for.
func (i Item) typ() byte {
	if i.Type == '+' && i.same != 0 {
		return i.same
	}
	return i.Type
}

// URL returns the URL that the item leads to: that of a link for "h" and "URL:",
// one of telnet or tn3270 for a session, and else one of gopher, in which a mark of
// Gopher+ stands as RFC 1738, section 3.4.4 has it. It returns nil for a line that
// is only text, and for one whose parts make no URL.
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

// valid returns u as url.Parse has it, or nil if u is none that can be fetched: a
// server may name any host, and put any octets into a selector.
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

// linkOf returns the URL that an item of type "h" is a link to by a selector that
// begins with "URL:", or nil. A link to something on the reader's own machine, or
// inside the URL itself, is left to the server, which sends a page.
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

// entry returns the item as an Entry. Without a URL where there should be one it
// is a line that makes no sense.
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

// mediaType returns the media type of the default view, or the one implied.
func (i Item) mediaType() string {
	t := i.typ()
	if views := i.Views(); len(views) > 0 && kindOf(t) == fetchers.Document {
		return views[0].Type
	}
	return mediaTypeOf(t, i.Selector)
}

// unparsed keeps a line that makes no sense.
func unparsed(line string) fetchers.Entry {
	return fetchers.Entry{Name: line, Kind: fetchers.Unparsed, Size: -1}
}

// A Block is an attribute of an item (Gopher+, section 2.5): a name, such as
// "ABSTRACT", and lines of data.
type Block struct {
	Name  string
	Lines []string
}

// Block returns the lines of the attribute of that name, in whatever case the
// server writes it.
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

// modTime returns when the item was changed, or the zero Time. The date that counts
// is the one in angle brackets. It is local time of the server, which does not say
// of where; here it is taken for UTC.
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
