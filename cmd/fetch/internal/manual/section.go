package manual

// A Section is a part of the manual: prose, items and their meanings, or both. A title of ""
// is none. An empty line separates the paragraphs of prose.
type Section struct {
	Title string
	Prose string
	Items []Item
}

// An Item is a text that is typed or found, and its meaning.
type Item struct{ Name, Text string }
