package dict

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxLine limits a line of a listing in bytes; RFC 2229, section 2.3, allows 1024.
const maxLine = 64 << 10

// A Match is a word in a database. It is the Sys of an Entry in a listing of matches.
type Match struct{ Database, Word string }

// A Named is a database or a strategy of a server. It is the Sys of an Entry in a listing of these.
type Named struct{ Name, Description string }

// list makes res a Listing of lines, which entry parses. If the URL has a number, only the entry
// with that number is listed.
func list(res *fetchers.Resource, mediaType string, what url.Dict, entry func(url.Dict, string) (fetchers.Entry, bool)) {
	res.Kind, res.MediaType = fetchers.Listing, mediaType
	res.Parse = func(body io.Reader) iter.Seq2[fetchers.Entry, error] {
		return func(yield func(fetchers.Entry, error) bool) {
			number := 0
			for line, err := range lines(body) {
				number++
				if err != nil {
					yield(fetchers.Entry{}, err)
					return
				}
				if what.N != 0 && what.N != number {
					continue
				}
				e, ok := entry(what, line)
				if !ok {
					e = fetchers.Entry{Name: line, Kind: fetchers.Unparsed}
				}
				e.Size = -1
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

// matchOf parses a line of MATCH: a database and a word.
func matchOf(what url.Dict, line string) (fetchers.Entry, bool) {
	pair := words(line)
	if len(pair) != 2 || pair[1] == "" {
		return fetchers.Entry{}, false
	}
	m := Match{Database: pair[0], Word: pair[1]}
	e := fetchers.Entry{Name: m.Word, Kind: fetchers.Document, MediaType: "text/plain", Attributes: map[string]string{"database": m.Database}, Sys: m}
	return leadTo(e, what, url.Dict{Command: url.DictDefine, Word: m.Word, Database: m.Database}), true
}

// databaseOf parses a line of SHOW DB: a name and a description. The name --exit-- is not a
// database: dictd stops there for "!".
func databaseOf(what url.Dict, line string) (fetchers.Entry, bool) {
	e, ok := named(line)
	if e.Name == "--exit--" {
		e.Kind = fetchers.Text
		return e, ok
	}
	return leadTo(e, what, url.Dict{Command: url.DictDefine, Database: e.Name}), ok
}

// strategyOf parses a line of SHOW STRAT: a name and a description.
func strategyOf(what url.Dict, line string) (fetchers.Entry, bool) {
	e, ok := named(line)
	return leadTo(e, what, url.Dict{Command: url.DictMatch, Database: "*", Strategy: e.Name}), ok
}

// named parses a name and a description, which some servers do not quote.
func named(line string) (fetchers.Entry, bool) {
	name, rest := cutWord(strings.TrimLeft(line, " \t"))
	if name == "" || rest == "" {
		return fetchers.Entry{}, false
	}
	n := Named{name, described(rest)}
	return fetchers.Entry{Name: n.Name, Title: n.Description, Kind: fetchers.Index, Sys: n}, true
}

// leadTo gives e the URL of d on the server of what. If d cannot be represented in a URL, e is a
// text.
func leadTo(e fetchers.Entry, what, d url.Dict) fetchers.Entry {
	d.Authority, d.Mechanism = what.Authority, what.Mechanism
	u := d.URL()
	if again, err := u.Dict(); err != nil || again.Word != d.Word || again.Database != d.Database || again.Strategy != d.Strategy {
		e.Kind = fetchers.Text
		return e
	}
	e.URL = u
	return e
}

// lines yields the lines of a text without their ends. An incomplete line before an error is
// dropped.
func lines(text io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := bufio.NewReaderSize(text, maxLine)
		for {
			line, err := in.ReadSlice('\n')
			switch {
			case err == bufio.ErrBufferFull:
				yield("", fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, maxLine))
				return
			case err != nil && err != io.EOF:
				yield("", err)
				return
			case err == io.EOF && len(line) == 0:
				return
			}
			if !yield(strings.TrimRight(string(line), "\r\n"), nil) || err != nil {
				return
			}
		}
	}
}
