package main

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// scene is the terminal of the first page.
var scene = task{name: "The first page", commands: []string{
	"fetch -O https://files.example/pub/debian.iso",
	"fetch ls ftp://ftp.example/pub/",
	"fetch gopher://gopher.example/",
	"fetch mirror https://files.example/pub/ copy",
	"fetch --json -o n https://files.example/notes.txt | jq -c [.kind,.complete]",
}}

// A theme is the colours of a terminal: of its window, of plain text, and of the 16 of ANSI.
type theme struct {
	name, window, text string
	ansi               [16]string
}

var themes = []theme{
	{"light", "#f6f8fa", "#1f2328", [16]string{
		"#24292f", "#cf222e", "#116329", "#7d4e00", "#0969da", "#8250df", "#1b7c83", "#57606a",
		"#57606a", "#a40e26", "#1a7f37", "#633c01", "#218bff", "#a475f9", "#3192aa", "#424a53"}},
	{"dark", "#161b22", "#e6edf3", [16]string{
		"#8b949e", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#b1bac4",
		"#8b949e", "#ffa198", "#56d364", "#e3b341", "#79c0ff", "#d2a8ff", "#56d4dd", "#ffffff"}},
}

// pictures plays the scene and writes it as NAME-light.svg and NAME-dark.svg.
func (s *stage) pictures(ctx context.Context, p program, name string) error {
	screen, err := s.play(ctx, scene, look{columns: 80, color: true, program: p.name}, p.path)
	if err != nil {
		return err
	}
	for _, t := range themes {
		file := fmt.Sprintf("%s-%s.svg", strings.TrimSuffix(name, filepath.Ext(name)), t.name)
		if err := os.WriteFile(file, []byte(picture(screen, t)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// The measures of a picture, in its units.
const (
	cell   = 8.4
	height = 20
	margin = 16
)

// picture draws a screen, as tmux captures it with colours.
func picture(screen string, t theme) string {
	lines := written(strings.Split(colors.ReplaceAllStringFunc(screen, keepColor), "\n"))
	columns := 0
	var text strings.Builder
	ink := pen{}
	for i, line := range lines {
		column := 0
		for _, s := range ink.strokes(line) {
			n := utf8.RuneCountInString(s.text)
			if strings.TrimSpace(s.text) != "" {
				fmt.Fprintf(&text, "<text x=\"%.1f\" y=\"%d\" textLength=\"%.1f\"%s>%s</text>\n",
					margin+float64(column)*cell, margin+i*height+height*3/4, float64(n)*cell, s.style(t), html.EscapeString(strings.ReplaceAll(s.text, " ", "\u00a0")))
			}
			column += n
		}
		columns = max(columns, column)
	}
	width, tall := 2*margin+float64(columns)*cell, 2*margin+len(lines)*height
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g fill="%s">
%s</g>
</svg>
`, width, tall, width, t.window, t.text, text.String())
}

// written returns the lines without the last prompt and the empty lines around it.
func written(lines []string) []string {
	for len(lines) > 0 {
		if text := strings.TrimSpace(colors.ReplaceAllString(lines[len(lines)-1], "")); text != "" && text != "$" {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return lines
}

// keepColor drops all sequences but those of colours.
func keepColor(sequence string) string {
	if strings.HasPrefix(sequence, "\x1b[") {
		return sequence
	}
	return ""
}

// A pen is how a terminal writes.
type pen struct {
	color     int // 1 to 16; 0 is that of plain text
	bold, dim bool
}

// A stroke is text of one pen.
type stroke struct {
	pen
	text string
}

var graphic = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// strokes splits a line where the pen changes, and leaves the pen as the line leaves it.
func (p *pen) strokes(line string) []stroke {
	var strokes []stroke
	for line != "" {
		at := graphic.FindStringSubmatchIndex(line)
		if at == nil {
			return append(strokes, stroke{*p, line})
		}
		if at[0] > 0 {
			strokes = append(strokes, stroke{*p, line[:at[0]]})
		}
		p.set(line[at[2]:at[3]])
		line = line[at[1]:]
	}
	return strokes
}

// set changes the pen by the parameters of SGR (ECMA-48, section 8.3.117).
func (p *pen) set(parameters string) {
	for field := range strings.SplitSeq(parameters, ";") {
		switch n, _ := strconv.Atoi(field); {
		case n == 0:
			*p = pen{}
		case n == 1:
			p.bold = true
		case n == 2:
			p.dim = true
		case n == 22:
			p.bold, p.dim = false, false
		case n >= 30 && n <= 37:
			p.color = n - 30 + 1
		case n >= 90 && n <= 97:
			p.color = n - 90 + 9
		case n == 39:
			p.color = 0
		}
	}
}

// style returns the attributes of the text of a stroke.
func (s stroke) style(t theme) string {
	style := ""
	if s.color > 0 {
		style += fmt.Sprintf(` fill="%s"`, t.ansi[s.color-1])
	}
	if s.bold {
		style += ` font-weight="bold"`
	}
	if s.dim {
		style += ` opacity="0.7"`
	}
	return style
}
