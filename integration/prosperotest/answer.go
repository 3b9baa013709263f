package prosperotest

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// emptyLine is the reply of a server to an empty line, and to the CR before an LF.
const emptyLine = "ERROR Malformed input line: Read' Prospero message with an empty line.'\n"

// answer carries out the commands of a request, up to the first that fails.
func (s *Server) answer(request string) string {
	var b strings.Builder
	dir := ""
	for _, line := range splitLines(request) {
		words, err := split(line)
		switch {
		case err != nil:
			fmt.Fprintf(&b, "ERROR Malformed input line: %s\n", join(line))
			return b.String()
		case len(words) == 0:
			b.WriteString(emptyLine)
			return b.String()
		}
		ok := true
		switch verb := words[0]; {
		case verb == "VERSION" && len(words) == 1:
			b.WriteString("VERSION 5 prosperotest\n")
		case verb == "VERSION" && words[1] != "5":
			b.WriteString("VERSION-NOT-SUPPORTED TRY 5") // without an LF, like its model
			ok = false
		case verb == "VERSION", verb == "SELECT":
		case verb == "AUTHENTICATE" && len(words) >= 4:
			if words[1] == "MANDATORY" && words[2] != "UNAUTHENTICATED" {
				fmt.Fprintf(&b, "FAILURE AUTHENTICATION-DATA Authentication type %s not supported\n", join(words[2]))
				ok = false
			}
		case verb == "DIRECTORY" && len(words) >= 3:
			dir = words[2]
		case verb == "LIST" && slices.Contains(words, "COMPONENTS"):
			ok = s.list(&b, dir, words[slices.Index(words, "COMPONENTS")+1:])
		case verb == "GET-OBJECT-INFO" && (len(words) == 4 || len(words) == 5):
			ok = s.info(&b, words[3], strings.Split(words[1], "+"))
		case verb == "GET-OBJECT-INFO":
			b.WriteString("ERROR wrong number of arguments\n")
			ok = false
		default:
			fmt.Fprintf(&b, "ERROR Unknown message: %s\n", line)
			ok = false
		}
		if strings.HasSuffix(line, "\r") {
			b.WriteString(emptyLine)
			ok = false
		}
		if !ok {
			break
		}
	}
	return b.String()
}

// forward writes that an object has moved, if it has.
func (s *Server) forward(b *strings.Builder, name string, o Object) bool {
	switch {
	case s.faults[EndlessForward]:
		fmt.Fprintf(b, "FORWARDED INTERNET-D %s ASCII %s 0\n", s.Host, join(name+"+"))
	case o.Forward != "":
		fmt.Fprintf(b, "FORWARDED %s\n", strings.ReplaceAll(o.Forward, "SERVER", s.Host))
	default:
		return false
	}
	return true
}

// info answers GET-OBJECT-INFO. It reports whether the next command is to be carried
// out.
func (s *Server) info(b *strings.Builder, name string, asked []string) bool {
	o, known := s.names[name]
	switch {
	case o.Answer != "":
		b.WriteString(o.Answer)
		return true
	case s.forward(b, name, o):
		return true
	case !known:
		b.WriteString("FAILURE NOT-FOUND\n")
		return false
	case slices.Contains(asked, "CONTENTS") && o.Contents == nil && o.Directory:
		b.WriteString("NONE-FOUND\n")
		return true
	case slices.Contains(asked, "CONTENTS") && o.Contents == nil:
		b.WriteString("FAILURE NOT-FOUND\n")
		return false
	case slices.Contains(asked, "CONTENTS"):
		fmt.Fprintf(b, "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA %s\n", join(string(o.Contents)))
		return true
	case len(asked) == 1 && asked[0] == "ACCESS-METHOD" && len(o.Methods) == 0:
		b.WriteString("FAILURE NOT-FOUND\n") // as its model, which has stored nothing
		return false
	}
	before := b.Len()
	wants := func(attribute string) bool {
		return slices.Contains(asked, attribute) || slices.Contains(asked, "#ALL")
	}
	size, mode := len(o.Contents), "-rw-r--r--"
	if o.Directory {
		size, mode = 4096, "drwxr-xr-x"
	}
	onDisk := o.Contents != nil || o.Directory
	if wants("SIZE") && onDisk && !strings.Contains(strings.Join(o.Attributes, "\n"), " SIZE ") {
		fmt.Fprintf(b, "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE %s\n", join(fmt.Sprintf("%d bytes", size)))
	}
	if wants("LAST-MODIFIED") && !o.Modified.IsZero() {
		fmt.Fprintf(b, "ATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE %s\n", o.Modified.UTC().Format("20060102150405Z"))
	}
	if wants("UNIX-MODES") && onDisk {
		fmt.Fprintf(b, "ATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE %s\n", mode)
	}
	for _, a := range o.Attributes {
		if words := strings.Fields(a); len(words) > 2 && wants(words[2]) {
			fmt.Fprintf(b, "ATTRIBUTE %s\n", a)
		}
	}
	methods := o.Methods
	isContents := func(m []string) bool { return m[0] == "PROSPERO-CONTENTS" }
	if o.Contents != nil && !slices.ContainsFunc(methods, isContents) {
		methods = append([][]string{{"PROSPERO-CONTENTS", "", "", "", ""}}, methods...)
	}
	if o.Directory && !wants("UNIX-MODES") {
		// The server of 1994 looks for directories only when it looks for the mode.
		methods = append([][]string{{"PROSPERO-CONTENTS", "", "", "", ""}, {"LOCAL", "", "", "", ""}}, methods...)
	}
	for _, m := range methods {
		if !wants("ACCESS-METHOD") {
			break
		}
		kind := "INTRINSIC ACCESS-METHOD SEQUENCE"
		if !isContents(m) && m[0] != "LOCAL" {
			kind = "FIELD ACCESS-METHOD"
			if s.faults[LongFields] {
				kind += " SEQUENCE"
			}
		}
		fmt.Fprintf(b, "ATTRIBUTE OBJECT %s %s\n", kind, join(m...))
	}
	if b.Len() == before {
		b.WriteString("NONE-FOUND\n")
	}
	return true
}

// list answers LIST.
func (s *Server) list(b *strings.Builder, name string, components []string) bool {
	o, known := s.names[name]
	switch {
	case o.Answer != "":
		b.WriteString(o.Answer)
		return true
	case s.forward(b, name, o):
		return true
	case !known, len(o.Links) == 0 && !o.Directory:
		b.WriteString("FAILURE NOT-A-DIRECTORY\n")
		return false
	}
	before := b.Len()
	for _, l := range o.Links {
		if len(components) > 0 {
			if match, _ := path.Match(components[0], l.Name); !match {
				continue
			}
		}
		b.WriteString(s.link(l))
	}
	if b.Len() == before {
		b.WriteString("NONE-FOUND\n")
	}
	return true
}

// link returns the lines of a link.
func (s *Server) link(l Link) string {
	union, target, host := "L", l.Target, l.Host
	if l.Union {
		union = "U"
	}
	if target == "" {
		target = "FILE"
	}
	if host == "" {
		host = s.Host
	}
	text := fmt.Sprintf("LINK  %s %s %s\n", union, target, join(l.Name, "INTERNET-D", host, "ASCII", l.HSOName, fmt.Sprint(l.Version)))
	for _, a := range l.Attributes {
		if s.faults[LongFields] {
			a = strings.Replace(a, "FIELD ACCESS-METHOD", "FIELD ACCESS-METHOD SEQUENCE", 1)
		}
		text += "ATTRIBUTE " + a + "\n"
	}
	if l.ID != "" {
		text += "ATTRIBUTE LINK FIELD ID SEQUENCE " + l.ID + "\n\n"
	}
	return text
}

var errOpen = errors.New("an open quote")

// split returns the tokens of a line.
func split(line string) (words []string, err error) {
	word, inWord, inQuotes := []byte(nil), false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && inQuotes && i+1 < len(line) && line[i+1] == '\'':
			word = append(word, c)
			i++
		case c == '\'':
			inWord, inQuotes = true, !inQuotes
		case inQuotes, c != ' ' && c != '\t' && c != '\r':
			word, inWord = append(word, c), true
		case inWord:
			words, word, inWord = append(words, string(word)), nil, false
		}
	}
	if inQuotes {
		return nil, errOpen
	}
	if inWord {
		words = append(words, string(word))
	}
	return words, nil
}

// splitLines returns the lines of a message. A line end inside quotes is none.
func splitLines(text string) (lines []string) {
	start, inQuotes := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\'':
			inQuotes = !inQuotes // and back, for two of them
		case text[i] == '\n' && !inQuotes:
			lines, start = append(lines, text[start:i]), i+1
		}
	}
	if start < len(text) {
		lines = append(lines, text[start:])
	}
	return lines
}

// join writes tokens as the model does: a token is quoted from the first octet that needs quotes.
func join(words ...string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		at := strings.IndexAny(w, " \t\n\v\f\r/'+,")
		switch {
		case w == "":
			quoted[i] = "''"
		case at < 0:
			quoted[i] = w
		default:
			quoted[i] = w[:at] + "'" + strings.ReplaceAll(w[at:], "'", "''") + "'"
		}
	}
	return strings.Join(quoted, " ")
}
