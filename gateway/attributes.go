package gateway

import (
	"html/template"
	"io"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gopher"
	"github.com/seed1ea3422f/fetch/url"
)

// attributeList is the media type of the attributes of an item of Gopher+.
const attributeList = "application/gopher+-menu"

// An itemPage is the attributes of an item of Gopher+ on a page (Gopher+, section 2.5).
type itemPage struct {
	Name   string
	Href   template.URL // where the item is
	Form   template.URL // where its form is; "" if it has none
	Admin  []headerField
	Views  []viewLink
	Blocks []gopher.Block // all others
}

// A viewLink is a view of an item, and where it is: "" if no URL can ask for it.
type viewLink struct {
	gopher.View
	Href template.URL
}

// attributes writes the attributes of an item to a page, with a link for each view and for its
// form. The links lead to the item of res, whichever item the server describes.
func (x *exchange) attributes(out io.Writer, res *fetchers.Resource) error {
	for item, err := range gopher.ParseAttributes(res.Body) {
		if err != nil {
			return err
		}
		return render(out, "attributes", x.itemPage(item, res.URL))
	}
	return nil
}

// itemPage returns the attributes of the item that u names.
func (x *exchange) itemPage(item gopher.Item, u *url.URL) itemPage {
	p := itemPage{Name: item.Name}
	p.Href = x.link(withPlus(u, "+"))
	for _, b := range item.Blocks {
		switch strings.ToUpper(b.Name) {
		case "INFO":
		case "VIEWS":
			for _, v := range gopher.ParseViews(b.Lines) {
				l := viewLink{View: v}
				if !strings.ContainsAny(v.Name, "\t\r\n\x00") {
					l.Href = x.link(withPlus(u, "+"+v.Name))
				}
				p.Views = append(p.Views, l)
			}
		case "ADMIN":
			for _, line := range b.Lines {
				name, value, ok := strings.Cut(line, ":")
				if !ok {
					name, value = "note", line
				}
				p.Admin = append(p.Admin, headerField{strings.TrimSpace(name), strings.TrimSpace(value)})
			}
		case "ASK":
			p.Form = x.link(withPlus(u, "?"))
		default:
			p.Blocks = append(p.Blocks, b)
		}
	}
	return p
}

// withPlus returns the item that u, a gopher URL, names with another Gopher+ string (RFC 1738,
// sections 3.4.4 to 3.4.8), or nil if u has a filled form or is none of gopher.
func withPlus(u *url.URL, plus string) *url.URL {
	g, err := u.Gopher()
	if err != nil || g.Block != "" {
		return nil
	}
	g.Plus, g.PlusSet, g.SearchSet = plus, true, true
	if plus == "!" || plus == "?" {
		g.Search = ""
	}
	return g.URL()
}

// attributesAt returns where the attributes of the item are that u names, and those of all items
// of the menu if u names one. They are "" for an item that is not one of Gopher+.
func (x *exchange) attributesAt(u *url.URL) (own, all template.URL) {
	g, err := u.Gopher()
	if err != nil || !g.PlusSet {
		return "", ""
	}
	if !strings.HasPrefix(g.Plus, "!") {
		own = x.link(withPlus(u, "!"))
	}
	if g.Type == '1' && !strings.HasPrefix(g.Plus, "$") {
		all = x.link(withPlus(u, "$"))
	}
	return own, all
}
