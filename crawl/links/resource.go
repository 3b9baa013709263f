package links

import (
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// Of yields the links of res: those in its header, the target of a redirection, the entries of a
// listing, and the links in a body of a Format, of a compressed sitemap or of a text/uri-list. It
// reads no other body, and does not close res. Errors are as in [Format.Read].
func Of(res *fetchers.Resource) iter.Seq2[Link, error] {
	return func(yield func(Link, error) bool) {
		if !header(res, yield) {
			return
		}
		format, known := FormatOf(res.MediaType)
		switch {
		case res.Kind == fetchers.Redirect:
			if res.Location != nil {
				yield(Link{URL: res.Location, Text: res.Location.String(), Offset: -1}, nil)
			}
		case res.Kind == fetchers.Listing:
			entries(res, yield)
		case res.Kind == fetchers.Session || res.Kind == fetchers.Unchanged:
		case known:
			format.Read(res.URL, res.Body)(yield)
		case res.MediaType == "text/uri-list" || isSitemap(res):
			ReadSitemap(res.URL, res.Body)(yield)
		}
	}
}

// isSitemap reports whether res has the name of a compressed sitemap.
func isSitemap(res *fetchers.Resource) bool {
	switch res.MediaType {
	case "application/gzip", "application/x-gzip":
		return strings.HasSuffix(res.URL.Path, ".xml.gz")
	}
	return false
}

// entries yields the links of a listing. A login, or an index that needs a query, is a Mention.
func entries(res *fetchers.Resource, yield func(Link, error) bool) {
	for e, err := range res.Entries() {
		if err != nil {
			yield(Link{}, err)
			return
		}
		if e.URL == nil {
			continue
		}
		l := Link{URL: e.URL, Text: e.Name, Offset: -1, Entry: &e, ModTime: e.ModTime}
		if e.Kind == fetchers.Session || e.Kind == fetchers.Index {
			l.Kind = Mention
		}
		if !yield(l, nil) {
			return
		}
	}
}

// header yields the links of the header fields Link (RFC 8288) and Refresh. It returns false if the
// caller has stopped.
func header(res *fetchers.Resource, yield func(Link, error) bool) bool {
	for _, field := range res.Header["Link"] {
		for target, rel := range targets(field) {
			if !give(yield, res.URL, Link{Kind: kindOf(rel, false), Attr: "link", Text: target, Rel: rel}) {
				return false
			}
		}
	}
	field := res.Header.Get("Refresh")
	if s, _, ok := refreshed(field); ok {
		return give(yield, res.URL, Link{Attr: "refresh", Text: strings.TrimSpace(field[s.start:s.end])})
	}
	return true
}

// give yields l if its Text is a valid URL.
func give(yield func(Link, error) bool, base *url.URL, l Link) bool {
	u, ok := resolve(base, l.Text)
	if !ok {
		return true
	}
	l.URL, l.Offset, l.NoFollow = u, -1, hasWord(l.Rel, "nofollow")
	return yield(l, nil)
}

// targets yields the targets of a Link field and their rel. It skips a link with an anchor, which
// belongs to another resource.
func targets(field string) iter.Seq2[string, string] {
	return func(yield func(target, rel string) bool) {
		for {
			var target string
			var ok bool
			if _, field, ok = strings.Cut(field, "<"); !ok {
				return
			}
			if target, field, ok = strings.Cut(field, ">"); !ok {
				return
			}
			rel, anchored := "", false
			for ok = true; ok; {
				var name, value string
				name, value, field, ok = parameter(field)
				switch {
				case name == "rel" && rel == "":
					rel = value
				case name == "anchor":
					anchored = true
				}
			}
			if !anchored && !yield(target, rel) {
				return
			}
		}
	}
}

// parameter cuts a parameter `; name="value"` off field. It is not ok if there is none.
func parameter(field string) (name, value, rest string, ok bool) {
	field, ok = strings.CutPrefix(strings.TrimLeft(field, " \t"), ";")
	if !ok {
		return "", "", field, false
	}
	end := strings.IndexAny(field, "=;,")
	if end < 0 {
		return strings.ToLower(strings.TrimSpace(field)), "", "", true
	}
	name = strings.ToLower(strings.TrimSpace(field[:end]))
	if field[end] != '=' {
		return name, "", field[end:], true
	}
	field = strings.TrimLeft(field[end+1:], " \t")
	if !strings.HasPrefix(field, `"`) {
		if end = strings.IndexAny(field, ";,"); end < 0 {
			end = len(field)
		}
		return name, strings.TrimSpace(field[:end]), field[end:], true
	}
	var b strings.Builder
	for i := 1; i < len(field); i++ {
		switch {
		case field[i] == '"':
			return name, b.String(), field[i+1:], true
		case field[i] == '\\' && i+1 < len(field):
			i++
		}
		b.WriteByte(field[i])
	}
	return name, b.String(), "", true
}
