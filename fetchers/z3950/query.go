package z3950

import (
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/z3950"
)

// Attributes of the set Bib-1: types, and values of the types.
const (
	useType        = 1
	structureType  = 4
	truncationType = 5

	useAny          = 1016
	useDocID        = 1032
	structurePhrase = 1
	structureURx    = 104
	truncateRight   = 1
)

// uses are the values of the attribute Use that have a name in queries.
var uses = map[string]int64{
	"any": useAny, "title": 4, "author": 1003, "subject": 21, "isbn": 7, "issn": 8, "lccn": 9,
	"id": 12, "date": 31, "publisher": 1018, "docid": useDocID,
}

// longestUse is the length of the longest name of a value, "publisher".
const longestUse = 9

// maxOperands limits the words of a search.
const maxOperands = 24

// docID returns the query for the record with a docid (RFC 2056, section 4).
func docID(id string) z3950.Query {
	return z3950.Query{{Attributes: []z3950.Attribute{{Type: useType, Value: useDocID}, {Type: structureType, Value: structureURx}}, Term: id}}
}

// words returns the query for records that contain all words of a text. Words are separated by
// blanks or "+":
//
//	dinosaur          in any part of the record
//	title=dinosaur    in the title; see uses for the other names
//	1003=knuth        in the part with this value of the attribute Use
//	"red wine"        the phrase, also as title="red wine"
//	dino*             words with that prefix
//
// An unknown name is part of the word.
func words(text string) (q z3950.Query) {
	for text = trim(text); text != ""; text = trim(text) {
		use := int64(useAny)
		if at := strings.IndexByte(text[:min(len(text), longestUse+1)], '='); at > 0 {
			if value, known := useOf(text[:at]); known {
				use, text = value, text[at+1:]
			}
		}
		o := z3950.Operand{Attributes: []z3950.Attribute{{Type: useType, Value: use}}}
		if strings.HasPrefix(text, `"`) {
			o.Term, text, _ = strings.Cut(text[1:], `"`)
			o.Attributes = append(o.Attributes, z3950.Attribute{Type: structureType, Value: structurePhrase})
		} else {
			end := strings.IndexAny(text, separators)
			if end < 0 {
				end = len(text)
			}
			o.Term, text = text[:end], text[end:]
			if begins, cut := strings.CutSuffix(o.Term, "*"); cut && begins != "" {
				o.Term = begins
				o.Attributes = append(o.Attributes, z3950.Attribute{Type: truncationType, Value: truncateRight})
			}
		}
		if o.Term != "" {
			q = append(q, o)
		}
	}
	return q
}

const separators = " \t\r\n+"

func trim(text string) string { return strings.TrimLeft(text, separators) }

// useOf returns the value of the attribute Use for a name or a number.
func useOf(name string) (int64, bool) {
	if value, known := uses[strings.ToLower(name)]; known {
		return value, true
	}
	n, err := strconv.ParseUint(name, 10, 16)
	return int64(n), err == nil && n > 0
}

// oneWord reports whether a text may be a docid as well as a search word.
func oneWord(text string) bool { return !strings.ContainsAny(text, separators+`="*`) }
