package prospero

import (
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// An Attribute is a line ATTRIBUTE of a reply.
type Attribute struct {
	AppliesTo string // OBJECT; with a link also LINK, CACHED, REPLACEMENT or ADDITIONAL
	Namespace string // FIELD, INTRINSIC or APPLICATION
	Name      string
	Values    []string // of a SEQUENCE; the tokens of a LINK or a FILTER
}

// parseAttribute reads the tokens of a line ATTRIBUTE. One with ">" belongs to
// another attribute and is not for us, whatever it says.
//
// The type is missing where servers of 1994 write a FIELD, and is there in the
// draft's later texts: it is one if it is a word for a type and something follows.
func parseAttribute(line []string) (a Attribute, ok bool) {
	if len(line) < 5 || line[0] != "ATTRIBUTE" {
		return Attribute{}, false
	}
	a = Attribute{AppliesTo: line[1], Namespace: line[2], Name: line[3], Values: line[4:]}
	typed := slices.Contains([]string{"SEQUENCE", "ASCII", "LINK", "FILTER"}, a.Values[0])
	if a.Namespace == "FIELD" {
		typed = typed && len(a.Values) > 1
	}
	if typed {
		a.Values = a.Values[1:]
	}
	return a, true
}

// valuesOf returns the values of the first attribute of that name.
func valuesOf(attributes []Attribute, name string) []string {
	for _, a := range attributes {
		if a.Name == name {
			return a.Values
		}
	}
	return nil
}

// valueOf returns the first value of an attribute, or "".
func valueOf(attributes []Attribute, name string) string {
	if values := valuesOf(attributes, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// sizeOf returns what SIZE says, "47 bytes", or -1.
func sizeOf(attributes []Attribute) int64 {
	digits, ok := strings.CutSuffix(valueOf(attributes, "SIZE"), " bytes")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 0 {
		return -1
	}
	return n
}

// modTimeOf returns what LAST-MODIFIED says, or the zero time.
func modTimeOf(attributes []Attribute) time.Time {
	t, err := time.Parse("20060102150405Z", valueOf(attributes, "LAST-MODIFIED"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// mediaTypeOf returns the media type that OBJECT-INTERPRETATION or else the name
// implies, or "".
func mediaTypeOf(attributes []Attribute, name string) string {
	switch meaning := strings.Join(valuesOf(attributes, "OBJECT-INTERPRETATION"), " "); {
	case strings.HasPrefix(meaning, "DOCUMENT TEXT"):
		if t := fetchers.TypeByName(name); strings.HasPrefix(t, "text/") {
			return t
		}
		return "text/plain"
	case meaning == "IMAGE GIF":
		return "image/gif"
	case meaning == "IMAGE JPEG":
		return "image/jpeg"
	}
	return fetchers.TypeByName(name)
}

// isDirectory reports whether the attributes say that the object is a directory.
func isDirectory(attributes []Attribute) bool {
	return strings.HasPrefix(valueOf(attributes, "UNIX-MODES"), "d") || valueOf(attributes, "OBJECT-INTERPRETATION") == "DIRECTORY"
}

// A report is what a whole reply says, its links aside.
type report struct {
	attributes []Attribute // of the object, not of links
	links      int
	forwarded  *Link
	refused    error // FAILURE or ERROR, which may come after good lines
	answered   bool  // there is a line that answers the request
}

// maxItems is how many attributes or links a reply may have.
const maxItems = 100_000

// readReport reads a reply. Lines that say nothing about the answer, such as a
// WARNING, are passed over.
func readReport(r io.Reader) (*report, error) {
	rep, lines := new(report), newLexer(r)
	var last *Link
	for {
		line, err := lines.line()
		if err == io.EOF {
			return rep, nil
		}
		if err != nil {
			return nil, err
		}
		a, isAttribute := parseAttribute(line)
		rep.answered = rep.answered || isAnswer(line)
		switch {
		case line[0] == "LINK":
			rep.links++
			last = new(Link)
		case line[0] == "FORWARDED":
			to, err := parseForwarded(line)
			if err != nil {
				return nil, err
			}
			rep.forwarded, last = to, to
		case line[0] == "ID" && last != nil:
			last.ID = strings.Join(line[1:], " ")
		case isAttribute && last == nil:
			rep.attributes = append(rep.attributes, a)
		case rep.refused == nil:
			rep.refused = refusal(line)
		}
		if max(rep.links, len(rep.attributes)) > maxItems {
			return nil, fmt.Errorf("%w: more than %d lines of one kind", fetchers.ErrProtocol, maxItems)
		}
	}
}

// isAnswer reports whether a line answers a request. Servers send one for each command,
// if only NONE-FOUND.
func isAnswer(line []string) bool {
	switch line[0] {
	case "LINK", "FORWARDED", "UNRESOLVED", "NONE-FOUND", "SUCCESS":
		return true
	}
	return strings.HasPrefix(line[0], "ATTRIBUTE") || refusal(line) != nil
}

// refusal returns the error that a line is, or nil. Only the first word after
// FAILURE tells which; text may follow.
func refusal(line []string) error {
	refused := &fetchers.StatusError{Reply: fetchers.Reply{Text: strings.Join(line, " ")}}
	code := ""
	if line[0] == "FAILURE" && len(line) > 1 {
		code = line[1]
	}
	switch {
	case line[0] == "VERSION-NOT-SUPPORTED", code == "OUT-OF-DATE": // the latter is of version 1
		return fmt.Errorf("%w: not a Prospero version 5 server: %s", fetchers.ErrProtocol, refused.Text)
	case line[0] != "FAILURE" && line[0] != "ERROR":
		return nil
	}
	switch code {
	case "NOT-FOUND", "NOT-A-DIRECTORY":
		refused.Class = fs.ErrNotExist
	case "NOT-AUTHORIZED", "AUTHENTICATION-REQUIRED", "AUTHENTICATION-DATA":
		refused.Class = fs.ErrPermission // there is no login that a URL could name
	}
	return refused
}
