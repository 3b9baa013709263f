package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// writeManPages writes the man pages of root and of the commands below it to dir.
func writeManPages(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return writeError{err}
	}
	for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
		if err := os.WriteFile(filepath.Join(dir, manName(c)+".1"), []byte(manPage(c)), 0o666); err != nil {
			return writeError{err}
		}
	}
	return nil
}

// manName returns the name of the man page of c.
func manName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// manPage returns the man page of c, in the macros of man(7).
func manPage(c *cobra.Command) string {
	var p roff
	fmt.Fprintf(&p, ".TH %s 1 \"%s\" %s\n", strings.ToUpper(argument(manName(c))), day(), argument("fetch "+version()))
	p.heading("NAME")
	p.text(manName(c) + " - " + strings.ToLower(c.Short[:1]) + c.Short[1:])
	p.heading("SYNOPSIS")
	p.synopsis(c.UseLine())
	if !c.HasParent() {
		p.WriteString(".br\n")
		p.synopsis("fetch COMMAND [flags] [ARG...]")
	}
	p.heading("DESCRIPTION")
	p.text(c.Long)
	if c.HasSubCommands() {
		p.heading("COMMANDS")
		p.items(subcommands(c).items)
	}
	p.heading("OPTIONS")
	for _, s := range options(c) {
		p.subheading(s.title)
		p.items(s.items)
	}
	see := []string{"curl(1)"}
	for _, other := range append([]*cobra.Command{c.Root()}, c.Root().Commands()...) {
		if other != c {
			see = append(see, manName(other)+"(1)")
		}
	}
	if !c.HasParent() {
		for _, t := range topics {
			p.heading(strings.ToUpper(t.title))
			p.text(t.prose)
			p.items(t.items)
		}
	}
	p.heading("SEE ALSO")
	p.text(strings.Join(see, ", "))
	return p.String()
}

// A roff is a text for man(1).
type roff struct{ strings.Builder }

func (r *roff) heading(title string)    { r.WriteString(".SH " + argument(title) + "\n") }
func (r *roff) subheading(title string) { r.WriteString(".SS " + argument(title) + "\n") }

// text writes paragraphs.
func (r *roff) text(prose string) {
	for i, paragraph := range strings.Split(prose, "\n\n") {
		if i > 0 {
			r.WriteString(".PP\n")
		}
		if paragraph != "" {
			r.lines(paragraph)
		}
	}
}

// lines writes a paragraph.
func (r *roff) lines(paragraph string) {
	for line := range strings.SplitSeq(wrapped(paragraph, 0, 70), "\n") {
		r.WriteString(escapedRoff(line) + "\n")
	}
}

// items writes items and what they mean.
func (r *roff) items(items []item) {
	for _, t := range items {
		r.WriteString(".TP\n.B " + argument(t.name) + "\n")
		r.lines(t.text)
	}
}

// synopsis writes how a command is used.
func (r *roff) synopsis(use string) { r.WriteString(".B " + argument(use) + "\n") }

// argument returns text as one argument of a macro.
func argument(text string) string {
	return `"` + strings.ReplaceAll(escapedRoff(text), `"`, `\(dq`) + `"`
}

// escapedRoff returns a line of text in which nothing is a request to roff, and a
// hyphen is one that can be copied.
func escapedRoff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
