package url

import (
	"strconv"
	"strings"
)

// Dict holds the parts of a dict URL (RFC 2229, section 5):
//
//	dict://user;AUTH@host:port/d:word:database:n
//	dict://user;AUTH@host:port/m:word:database:strategy:n
//
// The forms /show:db, /show:strat, /show:server and /show:info:database are not in the RFC, but
// clients use them.
type Dict struct {
	Authority // the User is without its ";AUTH"

	// Mechanism is the login mechanism, written after a ";" in the user: "AUTH", or another one,
	// such as "SASLAUTH=GSSAPI". It is "" if the URL has none.
	Mechanism string

	Command  DictCommand
	Word     string // of DictDefine and DictMatch; "" sends no query
	Database string // by default "!", the first database with an answer
	Strategy string // of DictMatch; by default ".", the server's own
	N        int    // the number of one definition or match, from 1; 0 means all
}

// A DictCommand is the request that a dict URL makes.
type DictCommand string

// The commands of dict URLs.
const (
	DictDefine     DictCommand = "define"     // definitions of a word
	DictMatch      DictCommand = "match"      // words that match one
	DictDatabases  DictCommand = "databases"  // the databases of the server
	DictStrategies DictCommand = "strategies" // its strategies for a match
	DictInfo       DictCommand = "info"       // a description of a database
	DictServer     DictCommand = "server"     // a description of the server
)

// The defaults of RFC 2229, section 5, for omitted parts.
const (
	firstDatabase = "!"
	ownStrategy   = "."
)

// Dict reads u as a dict URL. It splits the path at ":" before it decodes the parts. CR, LF or NUL
// in a part is an error, and so is a surplus part. An empty path means /show:db.
func (u *URL) Dict() (Dict, error) {
	d := Dict{Authority: u.Authority}
	if u.Scheme != "dict" {
		return Dict{}, errorf(-1, "not a dict URL")
	}
	if err := checkLine("word, database or strategy", unescape(u.Path)); err != nil {
		return Dict{}, err
	}
	if err := u.checkLogin(); err != nil {
		return Dict{}, err
	}
	if u.User != nil {
		who := *u.User
		_, d.Mechanism, _ = strings.Cut(who.Name, ";")
		who.Name = u.LoginName()
		d.User = &who
	}
	if strings.Trim(u.Path, "/") == "" {
		d.Command = DictDatabases
		return d, nil
	}
	parts := strings.Split(strings.TrimPrefix(u.Path, "/"), ":")
	for i := range parts {
		parts[i] = unescape(parts[i])
	}
	return d.query(strings.ToLower(parts[0]), parts[1:])
}

// query reads the parts after the verb, which is in lower case. The long verbs are those of curl.
func (d Dict) query(verb string, parts []string) (Dict, error) {
	names := []*string{&d.Word, &d.Database}
	switch verb {
	case "d", "define", "lookup":
		d.Command = DictDefine
	case "m", "match", "find":
		d.Command, d.Strategy = DictMatch, ownStrategy
		names = append(names, &d.Strategy)
	case "show":
		return d.show(parts)
	default:
		return Dict{}, errorf(-1, "bad path: not /d:word, /m:word or /show:db")
	}
	d.Database = firstDatabase
	for i, part := range parts {
		switch {
		case part == "": // omitted
		case i < len(names):
			*names[i] = part
		case i > len(names):
			return Dict{}, errorf(-1, "bad path: too many parts")
		default:
			n, err := strconv.ParseUint(part, 10, 31)
			if err != nil || n == 0 {
				return Dict{}, errorf(-1, "bad number of a definition or match")
			}
			d.N = int(n)
		}
	}
	return d, nil
}

// show reads the parts after /show.
func (d Dict) show(parts []string) (Dict, error) {
	what := ""
	if len(parts) > 0 {
		what = strings.ToLower(parts[0])
	}
	switch what {
	case "db", "databases":
		d.Command = DictDatabases
	case "strat", "strategies":
		d.Command = DictStrategies
	case "server":
		d.Command = DictServer
	case "info":
		d.Command = DictInfo
		if len(parts) == 2 && parts[1] != "" {
			d.Database = parts[1]
			return d, nil
		}
		return Dict{}, errorf(-1, "bad path: not /show:info:database")
	}
	if d.Command == "" || len(parts) > 1 {
		return Dict{}, errorf(-1, "bad path: not /show:db, /show:strat, /show:server or /show:info:database")
	}
	return d, nil
}

// URL returns the dict URL for d.
func (d Dict) URL() *URL {
	u := &URL{Scheme: "dict", Slashes: true, Authority: d.Authority}
	if d.User != nil && d.Mechanism != "" {
		who := *d.User
		who.Name += ";" + d.Mechanism
		u.User = &who
	}
	unless := func(usual, s string) string {
		if s == usual {
			return ""
		}
		return s
	}
	n := ""
	if d.N > 0 {
		n = strconv.Itoa(d.N)
	}
	parts := []string{"show", ""}
	switch d.Command {
	case DictDefine:
		parts = []string{"d", d.Word, unless(firstDatabase, d.Database), n}
	case DictMatch:
		parts = []string{"m", d.Word, unless(firstDatabase, d.Database), unless(ownStrategy, d.Strategy), n}
	case DictDatabases:
		parts[1] = "db"
	case DictStrategies:
		parts[1] = "strat"
	case DictServer:
		parts[1] = "server"
	case DictInfo:
		parts[1] = "info"
		parts = append(parts, d.Database)
	}
	for i := range parts {
		parts[i] = escape(parts[i], inUserinfo)
	}
	u.Path = "/" + parts[0] + ":" + strings.TrimRight(strings.Join(parts[1:], ":"), ":")
	return u
}
