package url

import "strings"

// Gopher is what a gopher URL means (RFC 1738, section 3.4; RFC 4266):
// gopher://host:port/TSELECTOR%09SEARCH%09PLUS, where T is one character.
type Gopher struct {
	Authority
	Secure bool // the scheme is gophers

	// Type is the item type, which is not sent but tells how to read the
	// answer. It is '1', a menu, if the URL does not say.
	Type byte

	// Selector is what to ask the server for. It has no TAB, CR, LF or NUL.
	Selector string

	// Search is the question to a search engine.
	Search    string
	SearchSet bool // tells an empty Search from none

	// Plus is the Gopher+ string, such as "+", "!", "$", "?" or
	// "+text/plain De_DE" (sections 3.4.4 to 3.4.8). Where it is set Search
	// is too, if only to be empty.
	Plus    string
	PlusSet bool

	// Block is a filled form, which follows the request line as it is (section
	// 3.4.9): "+-1" CRLF, a line for each answer, "." CRLF. Plus is "+\t1" then.
	// No other part of a URL may put CR and LF on the wire, so whoever sends
	// it should have asked for that.
	Block string
}

// Gopher reads u as a gopher or gophers URL. The path is decoded as a whole,
// since no character is reserved in it. CR, LF or NUL in it is an error, but for
// the data block of a filled form.
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

// formless returns u without the answers in a filled form, and so without all that
// follows the first line end of a gopher URL, where it is none too.
func (u *URL) formless() *URL {
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

// isDataBlock reports whether s is lines from "+-1" to the first ".".
func isDataBlock(s string) bool {
	lines := strings.Split(s, "\r\n")
	last := len(lines) - 2 // after it stands the empty rest of s
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

// URL returns the gopher or gophers URL that means g.
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
