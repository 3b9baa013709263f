package gopher

import "strings"

// A View is a representation of an item (Gopher+, section 2.6).
type View struct {
	Type     string // a media type, in lower case
	Language string // as in "En_US", or ""
	Size     string // as the server writes it, such as "10k"; it is never exact
	Name     string // type and language as the server writes them, to be asked for
}

// ParseViews reads the lines of the attribute VIEWS:
//
//	Text/plain En_US: <10k>
//	application/postscript Es_ES:<45K>
//	image/GIF
//
// Lines without a type are left out.
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

// ChooseView returns the first view of a media type, in a language if that is not
// empty. Neither is told apart by case.
func ChooseView(views []View, mediaType, language string) (View, bool) {
	for _, v := range views {
		if strings.EqualFold(v.Type, mediaType) && (language == "" || strings.EqualFold(v.Language, language)) {
			return v, true
		}
	}
	return View{}, false
}

// viewType returns the media type that a Gopher+ string such as "+text/plain De_DE"
// asks for, or "".
func viewType(plus string) string {
	view, ok := strings.CutPrefix(plus, "+")
	if !ok {
		return ""
	}
	view, _, _ = strings.Cut(view, "\t")
	view, _, _ = strings.Cut(view, " ")
	return strings.ToLower(view)
}
