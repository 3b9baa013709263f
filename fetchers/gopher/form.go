package gopher

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Form is the parsed attribute ASK of an item (Gopher+, section 2.8).
type Form []Field

// A Field is a line of a form.
type Field struct {
	// Kind is "Ask", a line; "AskP", a password; "AskL", several lines; "AskF", the name of a new
	// file; "Choose", one of the Choices; "Select", "1" or "0"; "ChooseF", a file; or "Note",
	// without an answer. Any other kind of a server is treated like Ask.
	Kind    string
	Prompt  string
	Default string
	Choices []string
}

// Text returns the field as a question in one line: the Prompt, the Choices in parentheses and the
// Default in brackets, if present.
func (f Field) Text() string {
	text := f.Prompt
	if len(f.Choices) > 0 {
		text += " (" + strings.Join(f.Choices, ", ") + ")"
	}
	if f.Default != "" {
		text += " [" + f.Default + "]"
	}
	return text
}

// kinds are the field kinds. Servers write them in any case.
var kinds = []string{"Ask", "AskP", "AskL", "AskF", "Choose", "Select", "ChooseF", "Note"}

// ParseForm parses the lines of the attribute ASK:
//
//	Ask: Your name?	Nobody
//	Choose: Colour?	red	green	blue
//	Select: Subscribe?:1
//
// A line without a colon is a Note.
func ParseForm(lines []string) Form {
	form := make(Form, 0, len(lines))
	for _, line := range lines {
		kind, rest, ok := strings.Cut(line, ":")
		if !ok {
			form = append(form, Field{Kind: "Note", Prompt: line})
			continue
		}
		parts := strings.Split(strings.TrimSpace(rest), "\t")
		field := Field{Kind: strings.TrimSpace(kind), Prompt: parts[0]}
		for _, k := range kinds {
			if strings.EqualFold(k, field.Kind) {
				field.Kind = k
			}
		}
		switch {
		case field.Kind == "Choose":
			field.Choices = parts[1:]
			if len(field.Choices) > 0 {
				field.Default = field.Choices[0]
			}
		case field.Kind == "Select":
			field.Default = "0"
			if prompt, mark, ok := cutLast(field.Prompt, ":"); ok && (mark == "0" || mark == "1") {
				field.Prompt, field.Default = prompt, mark
			}
		case len(parts) > 1:
			field.Default = parts[1]
		}
		form = append(form, field)
	}
	return form
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// FormOf returns the form of a Resource of the Gopher+ string "?" or "!", or of a description. It
// is nil if there is none.
func FormOf(res *fetchers.Resource) Form {
	lines, ok := res.Header["Ask"]
	if !ok {
		return nil
	}
	return ParseForm(lines)
}

// Form returns the form of the item, or nil.
func (i Item) Form() Form {
	if lines := i.Block("ASK"); lines != nil {
		return ParseForm(lines)
	}
	return nil
}

// Fill returns the URL of u, an item with a form, with a data block of answers, one for each field
// except Notes; the data block is part of the URL (RFC 1738, section 3.4.9). In an answer to AskL
// or ChooseF, lines are separated by LF. Missing answers at the end take their Default. A nil URL
// is an error.
func (f Form) Fill(u *url.URL, answers []string) (*url.URL, error) {
	if u == nil {
		return nil, errors.New("the URL is nil")
	}
	what, err := u.Gopher()
	if err != nil {
		return nil, err
	}
	block := []string{"+-1"}
	for _, field := range f {
		if field.Kind == "Note" {
			continue
		}
		answer := field.Default
		if len(answers) > 0 {
			answer, answers = answers[0], answers[1:]
		}
		lines, err := field.lines(answer)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", field.Prompt, err)
		}
		block = append(block, lines...)
	}
	if len(answers) > 0 {
		return nil, errors.New("the form has fewer fields than answers")
	}
	what.SearchSet, what.Plus, what.PlusSet = true, "+\t1", true
	what.Block = strings.Join(block, "\r\n") + "\r\n.\r\n"
	return what.URL(), nil
}

// lines returns the lines of an answer. They must not look like the end of the form.
func (f Field) lines(answer string) ([]string, error) {
	lines := strings.Split(answer, "\n")
	if f.Kind != "AskL" && f.Kind != "ChooseF" && len(lines) > 1 {
		return nil, errors.New("the answer is one line")
	}
	for _, l := range lines {
		if l == "." {
			return nil, errors.New("a line of an answer cannot be a single dot, which ends the form")
		}
		if strings.ContainsAny(l, "\r\x00") {
			return nil, errors.New("CR or NUL in the answer")
		}
	}
	switch f.Kind {
	case "Select":
		if answer != "0" && answer != "1" {
			return nil, fmt.Errorf("the answer is 0 or 1, not %q", answer)
		}
	case "Choose":
		if len(f.Choices) == 0 || slices.Contains(f.Choices, answer) {
			return lines, nil
		}
		return nil, fmt.Errorf("the answer is one of %q, not %q", f.Choices, answer)
	case "AskL":
		if answer == "" {
			return []string{"0"}, nil
		}
		return append([]string{strconv.Itoa(len(lines))}, lines...), nil
	}
	return lines, nil
}
