package gopher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxAttributes limits the attributes of one item, in bytes. The longest real attribute is an
// abstract.
const maxAttributes = 1 << 20

// lineCost is the cost of a line besides its bytes, for its memory.
const lineCost = 16

// attributes answers "!" with the attributes of an item, unmodified in Body and parsed in Header,
// and "?" with an Index for the answers to its form. Some servers send attributes without a status
// line, and others send the item itself instead.
func (f *Fetcher) attributes(ctx context.Context, req *fetchers.Request, what url.Gopher) (*fetchers.Resource, error) {
	asked := what
	if what.Plus == "?" {
		asked.Plus = "!" // all of them: not every server accepts attribute names
	}
	a, err := f.ask(ctx, asked, req.Named)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if a.failed {
		return a.failure(req.URL)
	}
	if !a.begins("+INFO") {
		if a.plus {
			return nil, errNoAttributes
		}
		if err := a.plainError(what.Type); err != nil {
			return nil, err
		}
		return nil, errNotPlus
	}
	text, item, err := a.readAttributes()
	if err != nil {
		return nil, err
	}
	res := &fetchers.Resource{URL: req.URL, Kind: fetchers.Document, MediaType: attributeList, Size: -1, Header: item.header()}
	a.conn.Mark(res)
	res.Validator.ModTime = item.modTime()
	switch {
	case what.Plus == "?":
		form := item.Form()
		if form == nil {
			return nil, fmt.Errorf("%w: the item has no form", fetchers.ErrProtocol)
		}
		res.Kind, res.MediaType = fetchers.Index, ""
		res.Query = func(words string) *url.URL {
			filled, err := form.Fill(req.URL, strings.Split(words, "\n"))
			if err != nil {
				return req.URL // which requests the same again
			}
			return filled
		}
		res.SetBody(nil)
	case req.Describe:
		res.SetBody(nil)
	default:
		res.Confirmed = func() bool { return a.confirmed.Load() && res.Received() == int64(len(text)) }
		res.SetBody(io.NopCloser(bytes.NewReader(text)))
	}
	return res, nil
}

// describe answers Describe with the attributes of the item, or else with a request for the item
// itself. gopherd 2.3 fails for the attributes of an item that is in none of its menus, although it
// serves the item.
func (f *Fetcher) describe(ctx context.Context, req *fetchers.Request, what url.Gopher) (*fetchers.Resource, error) {
	asked := what
	asked.Plus, asked.PlusSet, asked.SearchSet, asked.Block = "!", true, true, ""
	a, err := f.ask(ctx, asked, req.Named)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	if a.failed {
		res, err := a.failure(req.URL)
		if errors.Is(err, fs.ErrNotExist) {
			a.trace.Note("the server has no information on the item, so the item itself is requested")
			return f.item(ctx, req, what)
		}
		return res, err
	}
	res := newResource(req.URL, what)
	if a.begins("+INFO") {
		_, item, err := a.readAttributes()
		if err != nil {
			return nil, err
		}
		res.Header, res.Validator.ModTime = item.header(), item.modTime()
		if views := item.Views(); len(views) > 0 && res.Kind == fetchers.Document && viewType(what.Plus) == "" {
			res.MediaType = views[0].Type
		}
	} else {
		a.trace.Note("the server has no attributes of the item")
		if a.plainError(what.Type) != nil { // the server may have read "!" as part of the selector
			plain := what
			plain.Plus, plain.PlusSet, plain.SearchSet, plain.Block = "", false, false, ""
			again, err := f.ask(ctx, plain, req.Named)
			if err != nil {
				return nil, err
			}
			defer again.Close()
			if err := again.plainError(what.Type); err != nil {
				return nil, err
			}
		}
	}
	res.SetBody(nil)
	return res, nil
}

var errNoAttributes = fmt.Errorf("%w: the answer has no attributes", fetchers.ErrProtocol)

// readAttributes reads all attributes of one item.
func (a *answer) readAttributes() ([]byte, Item, error) {
	a.conn.AwaitList()
	text, err := io.ReadAll(io.LimitReader(a.body(fetchers.Listing, false), maxAttributes+1))
	if err == nil && len(text) > maxAttributes {
		err = fmt.Errorf("%w: attributes of more than %d bytes", fetchers.ErrProtocol, maxAttributes)
	}
	if err != nil {
		return nil, Item{}, err
	}
	for line, err := range lines(bytes.NewReader(text)) {
		if err != nil {
			return nil, Item{}, err
		}
		a.trace.Got(line)
	}
	for item, err := range ParseAttributes(bytes.NewReader(text)) {
		return text, item, err
	}
	return nil, Item{}, errNoAttributes
}

// ParseAttributes parses a list of attributes (Gopher+, section 2.5): for each item a block INFO
// with its menu line, and then others.
//
//	+INFO: 0The name	selector	host	70	+
//	+ADMIN:
//	 Admin: A. Person <person@example.org>
//	 Mod-Date: Sat Feb  3 04:05:06 2001 <20010203040506>
//	+VIEWS:
//	 Text/plain En_US: <10k>
//
// A line of data begins with a space; a line without one is kept unchanged. Blocks before the first
// INFO, and lines before the first block, belong to no item and are dropped. An INFO that is not a
// menu line yields an Item of type 0 with the line as its Name. An error ends the sequence.
func ParseAttributes(r io.Reader) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		var item *Item
		size := 0
		for line, err := range lines(r) {
			name, value, begins := cutBlock(line)
			if err == nil && begins && strings.EqualFold(name, "INFO") {
				if item != nil && !yield(*item, nil) {
					return
				}
				parsed, ok := ParseItem(value)
				if !ok {
					parsed = Item{Name: value}
				}
				item, size = &parsed, 0
				name = "INFO"
			}
			if size += len(line) + lineCost; err == nil && size > maxAttributes {
				err = fmt.Errorf("%w: attributes of more than %d bytes", fetchers.ErrProtocol, maxAttributes)
			}
			switch {
			case err != nil:
				yield(Item{}, err)
				return
			case item == nil:
			case begins:
				b := Block{Name: name}
				if value != "" {
					b.Lines = []string{value}
				}
				item.Blocks = append(item.Blocks, b)
			default:
				b := &item.Blocks[len(item.Blocks)-1]
				b.Lines = append(b.Lines, strings.TrimPrefix(line, " "))
			}
		}
		if item != nil {
			yield(*item, nil)
		}
	}
}

// cutBlock parses the first line of a block. The colon may be missing.
func cutBlock(line string) (name, value string, ok bool) {
	line, ok = strings.CutPrefix(line, "+")
	if !ok || line == "" || line[0] == ' ' {
		return "", "", false
	}
	end := strings.IndexAny(line, ": ")
	if end < 0 {
		return line, "", true
	}
	return line[:end], strings.TrimPrefix(strings.TrimPrefix(line[end:], ":"), " "), true
}

// parseAttributes is a Parse for attribute lists.
func parseAttributes(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		for item, err := range ParseAttributes(body) {
			if err != nil {
				yield(fetchers.Entry{}, err)
				return
			}
			e := unparsed(item.Name)
			if item.Type != 0 {
				e = item.entry(item.Blocks[0].Lines[0])
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
