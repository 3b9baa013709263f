package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/url"
)

// helpCommand returns the command that tells of commands and topics.
func (a *app) helpCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Tell about a command or a topic, or write the man pages",
		Long: `A topic is one of examples, exit-codes, environment and files. "fetch help man" writes the man page fetch(1) to standard output, ` +
			`and "fetch help man DIR" writes those of all commands to a directory.`,
		RunE: func(c *cobra.Command, args []string) error { return a.help(c.Root(), args) },
	}
	c.ValidArgsFunction = func(c *cobra.Command, args []string, _ string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 1 && args[0] == "man" {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		if len(args) == 0 {
			for _, t := range subcommands(c.Root()).items {
				words = append(words, cobra.CompletionWithDesc(t.name, t.text))
			}
			for _, t := range topics {
				words = append(words, cobra.CompletionWithDesc(t.name, t.short))
			}
			words = append(words, cobra.CompletionWithDesc("man", "the man pages"))
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	return c
}

// help tells about what args name.
func (a *app) help(root *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return a.tell(commandHelp(root))
	case args[0] == "man" && len(args) == 1:
		_, err := io.WriteString(sink{a.stdout}, manPage(root))
		return err
	case args[0] == "man" && len(args) == 2:
		return writeManPages(root, args[1])
	case len(args) > 1:
		return usageError{fmt.Errorf("help is about one thing, not about %q", url.Redact(strings.Join(args, " ")))}
	}
	for _, t := range topics {
		if t.name == args[0] {
			return a.tell([]section{t.section})
		}
	}
	for _, c := range root.Commands() {
		if c.Name() == args[0] {
			return a.tell(commandHelp(c))
		}
	}
	return usageError{fmt.Errorf("no help about %q; try fetch help", url.Redact(args[0]))}
}

// commandHelp returns what there is to say about c.
func commandHelp(c *cobra.Command) []section {
	if c.HasParent() {
		return append([]section{{prose: c.Short + "."}, {title: "Usage", items: []item{{name: c.UseLine()}}}, {prose: c.Long}}, options(c)...)
	}
	more := section{title: "More"}
	for _, t := range topics {
		more.items = append(more.items, item{"fetch help " + t.name, t.short})
	}
	more.items = append(more.items, item{"fetch help COMMAND", "what a command does, and its flags"})
	all := []section{
		{prose: c.Short + "."},
		{title: "Usage", items: []item{{name: "fetch [flags] URL..."}, {name: "fetch COMMAND [flags] [ARG...]"}}},
		subcommands(c),
	}
	return append(append(all, options(c)...), more)
}

// tell writes sections for people.
func (a *app) tell(sections []section) error {
	_, err := io.WriteString(sink{a.stdout}, plainText(sections, columns(a.stdout)))
	return err
}

// Where the meaning of a term begins, and how wide a text for people may become.
const (
	meaningAt = 34
	measure   = 100
)

// plainText returns sections as text, in lines of at most the given width if that is
// not 0.
func plainText(sections []section, width int) string {
	if width > 0 {
		width = min(width, measure)
	}
	var b strings.Builder
	for _, s := range sections {
		if s.prose == "" && len(s.items) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n")
		}
		indent := ""
		if s.title != "" {
			b.WriteString(s.title + ":\n")
			indent = "  "
		}
		for paragraph := range strings.SplitSeq(s.prose, "\n\n") {
			if paragraph != "" {
				b.WriteString(indent + wrapped(paragraph, len(indent), width) + "\n")
			}
		}
		if s.prose != "" && len(s.items) > 0 {
			b.WriteString("\n")
		}
		at := s.column(len(indent), width)
		for _, t := range s.items {
			head := indent + t.name
			if strings.HasPrefix(t.name, "--") {
				head = indent + "    " + t.name // as if there were a short one
			}
			switch {
			case t.text == "":
			case len(head)+2 <= at:
				head += strings.Repeat(" ", at-len(head))
			case width == 0:
				head += "  "
			default:
				head += "\n" + strings.Repeat(" ", at)
			}
			b.WriteString(head + wrapped(t.text, at, width) + "\n")
		}
	}
	return b.String()
}

// column returns where the meanings of the items of s begin, which is the same for all
// flags.
func (s section) column(indent, width int) int {
	if 0 < width && width < 2*meaningAt {
		return 8 // there is no room beside an item
	}
	at := indent + 2
	for _, t := range s.items {
		switch {
		case t.name[0] == '-':
			return meaningAt
		case t.text != "" && (width == 0 || indent+len(t.name)+2 <= meaningAt):
			at = max(at, indent+len(t.name)+2)
		}
	}
	return at
}

// wrapped breaks text between words, so that it stays within width if it begins at
// column at, where the other lines of it begin, too.
func wrapped(text string, at, width int) string {
	if width == 0 {
		return text
	}
	var b strings.Builder
	column := at
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == at:
		case column+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", at))
			column = at
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
