package gateway

import (
	"html/template"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/nntp"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A listing is the page of a Listing.
type listing struct {
	Proxied bool // there is no form
	Menu    bool // it is one of gopher: lines of text stand as they are, and items have numbers
	Authors bool // there is a column of authors, in place of that of kinds
	Scores  bool // there is a column of scores
	Sort    string
	Orders  []string
	Down    bool
	Filter  string
	URL     string
	Carried []headerField // further parameters of the URL
	Search  *hitSearch    // for another search; nil if these are no hits
}

// Columns returns how many columns the table has.
func (l listing) Columns() int {
	n := 4 // the kind, or the author of an article; its name, size and time
	for _, there := range []bool{l.Scores, l.Search != nil} {
		if there {
			n++
		}
	}
	return n
}

// A row is an entry on a page.
type row struct {
	Number int          // of an item of a menu, from 1; 0 for a line of text
	Kind   string       // of the target
	Href   template.URL // where it leads to here; "" if it is no link
	URL    string       // where it leads to
	Name   string
	Note   string // a title, or the target of a symbolic link
	Size   string
	When   string
	Author string
	Score  int
	Depth  int // of an article in its thread

	Attributes template.URL // where those of an item of Gopher+ are
	Document   string       // the URL of a hit that can be marked for relevance feedback; "" if it cannot
	Liked      bool         // it is marked

	Text bool    // it is a line of text
	In   listing // that has it
}

// maxAbstract is how many characters of the abstract of an item of Gopher+ are shown in a menu.
const maxAbstract = 300

// maxShownURL is how many characters of a URL are shown that is no link.
const maxShownURL = 200

// deepest is the greatest Depth that is shown as such.
const deepest = 8

// listing answers with a page about a listing, whose rows are sent as they come.
func (x *exchange) listing(res *fetchers.Resource) {
	l := x.listingOf(res)
	if x.r.Method == http.MethodHead {
		x.pageHeader()
		return
	}
	p := x.pageOf(res)
	p.Body = l
	out := x.stream()
	defer out.Close()
	begun := false
	begin := func() error {
		begun = true
		x.pageHeader()
		if err := render(out, "head", p); err != nil {
			return err
		}
		return render(out, "listing-head", p)
	}
	number, count := 0, 0
	var failure error
	for e, err := range x.ordered(res, l.Sort) {
		if err != nil {
			failure = fetchers.NewError("list", res.URL, err)
			break
		}
		if e.URL != nil && e.text == "" {
			number++
		}
		if !x.passes(&e.Entry) {
			continue
		}
		if !begun {
			if begin() != nil {
				return
			}
		}
		if e.text == "" {
			count++
		}
		if render(out, "listing-row", x.row(l, e, number)) != nil {
			return
		}
	}
	if !begun && failure != nil {
		x.fail(failure)
		return
	}
	if !begun && begin() != nil {
		return
	}
	p.Body = map[string]any{"Listing": l, "Count": count, "Failure": record.Text(failure)}
	if render(out, "listing-foot", p) == nil {
		render(out, "foot", p)
	}
}

// listingOf returns the page of the listing res.
func (x *exchange) listingOf(res *fetchers.Resource) listing {
	scheme := res.URL.Scheme
	l := listing{
		Proxied: x.proxied,
		Menu:    scheme == "gopher" || scheme == "gophers", Authors: ofArticles(res.URL),
		Scores: scheme == "wais", Sort: x.sort, Down: x.down, Filter: x.filter, Orders: orders, URL: res.URL.WithoutPassword().Redacted(),
		Search: x.hitSearch(res),
	}
	if carried := x.carried(); len(carried) > 0 {
		l.URL = x.url.WithoutPassword().Redacted()
		for _, name := range slices.Sorted(maps.Keys(carried)) {
			for _, value := range carried[name] {
				l.Carried = append(l.Carried, headerField{name, value})
			}
		}
	}
	switch {
	case l.Sort != "":
	case l.Authors:
		l.Sort = byThread
	default:
		l.Sort = byServer
	}
	return l
}

// ofArticles reports whether u names a newsgroup, or articles of one.
func ofArticles(u *url.URL) bool {
	n, err := u.News()
	return err == nil && n.Group != ""
}

// passes reports whether an entry has the text of the filter.
func (x *exchange) passes(e *fetchers.Entry) bool {
	if x.filter == "" {
		return true
	}
	text := strings.ToLower(e.Name + "\n" + e.Title + "\n" + e.Author)
	return strings.Contains(text, strings.ToLower(x.filter))
}

// row returns an entry for a page.
func (x *exchange) row(l listing, e placed, number int) row {
	r := row{
		Kind: e.Kind.String(), Name: e.Name, Size: size(e.Size), When: when(&e.Entry), Author: person(e.Author), Score: e.Score,
		Depth: min(e.depth, deepest), Text: e.URL == nil, In: l,
	}
	if e.text != "" {
		return row{Name: e.text, Text: true, In: l}
	}
	switch target := e.Target(); {
	case target != "":
		r.Note = "→ " + target
	case e.Title != "" && e.Title != e.Name && e.Kind == fetchers.Document:
		r.Name = e.Title
	case e.Title != e.Name:
		r.Note = e.Title
	}
	if r.Name == "" && e.URL != nil {
		r.Name = e.URL.WithoutPassword().Redacted()
	}
	if e.URL != nil {
		r.Number, r.URL = number, shortened(e.URL.WithoutPassword().Redacted(), maxShownURL)
		r.Href = x.link(e.URL)
		r.Attributes, _ = x.attributesAt(e.URL)
	}
	if l.Search != nil && e.URL != nil && e.URL.Scheme == "wais" {
		r.Document, r.Liked = e.URL.Redacted(), x.likes(e.URL)
	}
	if about := e.Attributes["gopher.abstract"]; about != "" && r.Note == "" {
		r.Note = shortened(about, maxAbstract)
	}
	return r
}

// entries answers with a listing as JSON, an entry a line. A failure is the last line.
func (x *exchange) entries(res *fetchers.Resource) {
	x.jsonHeader("application/x-ndjson")
	if x.r.Method == http.MethodHead {
		return
	}
	out := x.stream()
	defer out.Close()
	begun := false
	write := func(v any) error {
		begun = true
		line, err := record.Marshal(v)
		if err == nil {
			_, err = out.Write(append(line, '\n'))
		}
		return err
	}
	for e, err := range x.ordered(res, x.sort) {
		switch {
		case err != nil && !begun:
			x.fail(fetchers.NewError("list", res.URL, err))
			return
		case err != nil:
			write(map[string]any{"error": record.FailureOf(fetchers.NewError("list", res.URL, err))})
			return
		case e.text != "" || !x.passes(&e.Entry):
			continue
		}
		if write(record.EntryOf(&e.Entry)) != nil {
			return
		}
	}
}

// ordered returns the entries of res in an order.
func (x *exchange) ordered(res *fetchers.Resource, order string) iter.Seq2[placed, error] {
	if order == "" || order == byServer {
		return func(yield func(placed, error) bool) {
			for e, err := range res.Entries() {
				if !yield(placed{Entry: e}, err) {
					return
				}
			}
		}
	}
	return sorted(res.Entries(), order, x.down, mostSorted)
}

// overviewOf returns the overview of an article.
func overviewOf(e *fetchers.Entry) (nntp.Overview, bool) {
	o, ok := e.Sys.(nntp.Overview)
	return o, ok
}
