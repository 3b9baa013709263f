package url

import "strings"

// Gopher holds the parts of a gopher or gophers URL (RFC 1738, section 3.4; RFC 4266):
// gopher://host:port/TSELECTOR%09SEARCH%09PLUS, where T is one character.
type Gopher struct {
	Authority
	Secure bool // the scheme is gophers

	// Type is the item type. It is not sent; it tells the client how to read the answer. It is '1',
	// a menu, if the URL has none.
	Type byte

	// Selector is the string that selects the item on the server. It has no TAB, CR, LF or NUL.
	Selector string

	// Search is the query for a search engine.
	Search    string
	SearchSet bool // distinguishes an empty Search from none

	// Plus is the Gopher+ string, such as "+", "!", "$", "?" or "+text/plain De_DE" (sections 3.4.4
	// to 3.4.8). If PlusSet is true, SearchSet is true as well, perhaps with an empty Search.
	Plus    string
	PlusSet bool

	// Block is the data block of a filled-in form, sent unchanged after the request line (section
	// 3.4.9): "+-1" CRLF, a line for each answer, "." CRLF. Plus is then "+\t1". No other part of a
	// URL can put CR and LF on the wire, so a client should send a Block only if its user asked for
	// that.
	Block string
}

// Gopher reads u as a gopher or gophers URL. The path is decoded as a whole, since RFC 1738
// reserves no character in it. CR, LF or NUL in it is an error, except in the data block of a form.
func (u *URL) Gopher() (Gopher, error) {
	g := Gopher{Authority: u.Authority, Secure: u.Scheme == "gophers", Type: '1'}
	if u.Scheme != "gopher" && !g.Secure {
		return Gopher{}, errorf(-1, "not a gopher URL")
	}
	path := unescape(strings.TrimPrefix(u.Path, "/"))
	if path == "" {
		return g, nil
	}
	if !isWord(path[:1]) {
		return Gopher{}, errorf(-1, "bad item type %q", path[0])
	}
	g.Type = path[0]
	g.Selector, g.Search, g.SearchSet = strings.Cut(path[1:], "\t")
	g.Search, g.Plus, g.PlusSet = strings.Cut(g.Search, "\t")
	if line, block, ok := strings.Cut(g.Plus, "\r\n"); ok && line == "+\t1" {
		if !isDataBlock(block) {
			return Gopher{}, errorf(-1, "bad data block in the Gopher+ string")
		}
		g.Plus, g.Block = line, block
	}
	if err := checkLine("selector", g.Selector); err != nil {
		return Gopher{}, err
	}
	if err := checkLine("search string", g.Search); err != nil {
		return Gopher{}, err
	}
	if err := checkLine("Gopher+ string", g.Plus); err != nil {
		return Gopher{}, err
	}
	return g, nil
}

// withoutForm returns u without the answers of a filled-in form: in a gopher URL, *** replaces all
// text after the first escaped CR LF, even if that text is not a valid form.
func (u *URL) withoutForm() *URL {
	if u == nil || u.Scheme != "gopher" && u.Scheme != "gophers" {
		return u
	}
	end := strings.Index(strings.ToUpper(u.Path), "%0D%0A")
	if end < 0 {
		return u
	}
	hidden := *u
	hidden.Path = u.Path[:end+len("%0D%0A")] + "***"
	return &hidden
}

// isDataBlock reports whether s consists of lines from "+-1" to the first ".".
func isDataBlock(s string) bool {
	lines := strings.Split(s, "\r\n")
	last := len(lines) - 2 // the element after it is the empty text after the last CR LF
	if last < 1 || lines[0] != "+-1" || lines[last] != "." || lines[last+1] != "" {
		return false
	}
	for _, l := range lines[1:last] {
		if l == "." || !lineSafe(l) {
			return false
		}
	}
	return true
}

// URL returns the gopher or gophers URL for g.
func (g Gopher) URL() *URL {
	u := &URL{Scheme: "gopher", Slashes: true, Authority: g.Authority}
	if g.Secure {
		u.Scheme = "gophers"
	}
	path := "1"
	if g.Type != 0 {
		path = string([]byte{g.Type})
	}
	path += g.Selector
	if g.SearchSet || g.PlusSet {
		path += "\t" + g.Search
	}
	if g.PlusSet {
		path += "\t" + g.Plus
	}
	if g.Block != "" {
		path += "\r\n" + g.Block
	}
	u.Path = "/" + escape(path, inPath)
	return u
}
