package gopher

import "strings"

// A View is a representation of an item (Gopher+, section 2.6).
type View struct {
	Type     string // a media type, in lower case
	Language string // as in "En_US", or ""
	Size     string // as the server writes it, such as "10k"; never exact
	Name     string // type and language as the server writes them, for requests
}

// ParseViews parses the lines of the attribute VIEWS:
//
//	Text/plain En_US: <10k>
//	application/postscript Es_ES:<45K>
//	image/GIF
//
// Lines without a type are skipped.
func ParseViews(lines []string) (views []View) {
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ":")
		v := View{Name: strings.TrimSpace(name)}
		v.Type, v.Language, _ = strings.Cut(v.Name, " ")
		v.Type, v.Language = strings.ToLower(v.Type), strings.TrimSpace(v.Language)
		if _, size, ok := strings.Cut(rest, "<"); ok {
			v.Size, _, _ = strings.Cut(size, ">")
		}
		if strings.Contains(v.Type, "/") {
			views = append(views, v)
		}
	}
	return views
}

// ChooseView returns the first view with a media type, and with a language if that is not empty.
// Case does not matter.
func ChooseView(views []View, mediaType, language string) (View, bool) {
	for _, v := range views {
		if strings.EqualFold(v.Type, mediaType) && (language == "" || strings.EqualFold(v.Language, language)) {
			return v, true
		}
	}
	return View{}, false
}

// viewType returns the media type in a Gopher+ string such as "+text/plain De_DE", or "".
func viewType(plus string) string {
	view, ok := strings.CutPrefix(plus, "+")
	if !ok {
		return ""
	}
	view, _, _ = strings.Cut(view, "\t")
	view, _, _ = strings.Cut(view, " ")
	return strings.ToLower(view)
}
