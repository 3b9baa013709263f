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
	Values    []string // of a SEQUENCE; or the tokens of a LINK or a FILTER
}

// parseAttribute parses the tokens of a line ATTRIBUTE. A line with ">" belongs to another
// attribute and is ignored.
//
// Servers of 1994 omit the type of a FIELD, and later versions of the draft have it: a word is the
// type if it is one of the known types and a token follows.
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

// valuesOf returns the values of the first attribute with a name.
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

// sizeOf returns the number in SIZE, such as "47 bytes", or -1.
func sizeOf(attributes []Attribute) int64 {
	digits, ok := strings.CutSuffix(valueOf(attributes, "SIZE"), " bytes")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !ok || n < 0 {
		return -1
	}
	return n
}

// modTimeOf returns the time in LAST-MODIFIED, or the zero time.
func modTimeOf(attributes []Attribute) time.Time {
	t, err := time.Parse("20060102150405Z", valueOf(attributes, "LAST-MODIFIED"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// mediaTypeOf returns the media type according to OBJECT-INTERPRETATION or else the name, or "".
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

// isDirectory reports whether the attributes are those of a directory.
func isDirectory(attributes []Attribute) bool {
	return strings.HasPrefix(valueOf(attributes, "UNIX-MODES"), "d") || valueOf(attributes, "OBJECT-INTERPRETATION") == "DIRECTORY"
}

// A report is the content of a whole reply, except its links.
type report struct {
	attributes []Attribute // of the object, not of links
	links      int
	forwarded  *Link
	refused    error // FAILURE or ERROR, which may follow good lines
	answered   bool  // a line answers the request
}

// maxItems limits the attributes and the links of a reply.
const maxItems = 100_000

// readReport reads a reply. It skips lines that are not part of the answer, such as a WARNING.
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

// isAnswer reports whether a line answers a request. Servers send at least one for each command,
// such as NONE-FOUND.
func isAnswer(line []string) bool {
	switch line[0] {
	case "LINK", "FORWARDED", "UNRESOLVED", "NONE-FOUND", "SUCCESS":
		return true
	}
	return strings.HasPrefix(line[0], "ATTRIBUTE") || refusal(line) != nil
}

// refusal returns a line as an error, or nil. Only the first word after FAILURE is the code; text
// may follow.
func refusal(line []string) error {
	refused := &fetchers.StatusError{Reply: fetchers.Reply{Text: strings.Join(line, " ")}}
	code := ""
	if line[0] == "FAILURE" && len(line) > 1 {
		code = line[1]
	}
	switch {
	case line[0] == "VERSION-NOT-SUPPORTED", code == "OUT-OF-DATE": // OUT-OF-DATE is from version 1
		return fmt.Errorf("%w: not a Prospero version 5 server: %s", fetchers.ErrProtocol, refused.Text)
	case line[0] != "FAILURE" && line[0] != "ERROR":
		return nil
	}
	switch code {
	case "NOT-FOUND", "NOT-A-DIRECTORY":
		refused.Class = fs.ErrNotExist
	case "NOT-AUTHORIZED", "AUTHENTICATION-REQUIRED", "AUTHENTICATION-DATA":
		refused.Class = fs.ErrPermission // a URL cannot contain a login
	}
	return refused
}
