package url

// Gemini holds the parts of a gemini URL: a page, and the user's input for it.
type Gemini struct {
	Authority
	Path string // as written, still escaped; never empty, and begins with a slash

	// Input is the decoded answer to the prompt of a page, such as search words.
	Input    string
	InputSet bool // distinguishes an empty Input from none
	Secret   bool // the Input is a secret, such as a password: Redacted prints *** instead
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

// URL returns the gemini URL for g. It escapes every character of the Input that is reserved
// anywhere in a URL. A blank becomes %20, since gemini servers do not read "+" as a blank.
func (g Gemini) URL() *URL {
	u := &URL{Scheme: "gemini", Slashes: true, Authority: g.Authority, Path: repair(g.Path), secret: g.Secret}
	if g.InputSet {
		u.Query = "?" + escape(g.Input, inName)
	}
	return u
}

// withoutInput returns u with *** in place of a secret input.
func (u *URL) withoutInput() *URL {
	if u == nil || !u.secret || u.Query == "" {
		return u
	}
	hidden := *u
	hidden.Query = "?***"
	return &hidden
}
