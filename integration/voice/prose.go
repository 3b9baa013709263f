package main

import (
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// comments returns the paragraphs of the comments of a Go file, without the code in them.
func comments(text []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var paragraphs []string
	for _, group := range file.Comments {
		lines := strings.Split(group.Text(), "\n") // without directives
		for i, line := range lines {
			if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
				lines[i] = "" // code
			}
		}
		paragraphs = append(paragraphs, split(lines)...)
	}
	return paragraphs, nil
}

var (
	code = regexp.MustCompile("`[^`]*`")
	link = regexp.MustCompile(`\]\([^)]*\)`)
)

// markdown returns the paragraphs of a page of Markdown, without code and addresses.
func markdown(text []byte) ([]string, error) {
	fenced := false
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		fence := strings.HasPrefix(strings.TrimSpace(line), "```")
		switch {
		case fence:
			fenced = !fenced
			lines[i] = ""
		case fenced || strings.HasPrefix(line, "    "):
			lines[i] = ""
		case strings.HasPrefix(line, "|"): // each cell is a sentence
			lines[i] = strings.ReplaceAll(line, "|", ". ")
		}
		lines[i] = link.ReplaceAllString(code.ReplaceAllString(lines[i], "it"), "]")
	}
	return split(lines), nil
}

// split joins lines to paragraphs, at empty lines.
func split(lines []string) []string {
	var paragraphs []string
	for p := range strings.SplitSeq(strings.Join(lines, "\n"), "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			paragraphs = append(paragraphs, p)
		}
	}
	return paragraphs
}
