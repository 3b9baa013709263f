package url

// Gemini is what a gemini URL means: a page, and the input for it.
type Gemini struct {
	Authority
	Path string // as written, still escaped; it is never empty and begins with a slash

	// Input is the answer to the question of a page, such as the words of a search, decoded.
	Input    string
	InputSet bool // tells an empty Input from none
	Secret   bool // the Input is a secret, such as a password: Redacted shows *** in its place
}

// Gemini reads u as a gemini URL.
func (u *URL) Gemini() (Gemini, error) {
	if u == nil || u.Scheme != "gemini" {
		return Gemini{}, errorf(-1, "not a gemini URL")
	}
	g := Gemini{Authority: u.Authority, Path: u.Path, InputSet: u.Query != "", Secret: u.secret}
	if g.Path == "" {
		g.Path = "/"
	}
	if g.InputSet {
		g.Input = unescape(u.Query[1:])
	}
	return g, nil
}

// URL returns the gemini URL that means g. Every octet of the Input that is reserved anywhere is
// escaped, and so is a blank, for which a "+" would be no blank.
func (g Gemini) URL() *URL {
	u := &URL{Scheme: "gemini", Slashes: true, Authority: g.Authority, Path: repair(g.Path), secret: g.Secret}
	if g.InputSet {
		u.Query = "?" + escape(g.Input, inName)
	}
	return u
}

// inputless returns u with *** in place of an input that is a secret.
func (u *URL) inputless() *URL {
	if u == nil || !u.secret || u.Query == "" {
		return u
	}
	hidden := *u
	hidden.Query = "?***"
	return &hidden
}
