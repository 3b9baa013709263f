package main

import (
	"fmt"
	"strings"
)

// page returns the screens at a number of columns, in Markdown.
func page(tasks []task, programs []program, seen []view, columns int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# At the terminal, at %d columns

This page is written by [integration/terminal](../integration/terminal/main.go), which types each
command into a terminal and records the screen. The servers are at the end of a line of 40 Mbit/s
and 40 ms.

`, columns)
	colored, differ := 0, []string(nil)
	for i, t := range tasks {
		l := look{columns, true, "now"}
		if seen[i][l] != colors.ReplaceAllString(seen[i][l], "") {
			colored++
		}
		if !same(seen[i][l], seen[i][look{columns, false, "now"}]) {
			differ = append(differ, t.name)
		}
	}
	fmt.Fprintf(&b, "With colour %d of the %d tasks are coloured, and the text is the same", colored, len(tasks))
	if len(differ) > 0 {
		fmt.Fprintf(&b, " except in these tasks: %s", strings.Join(differ, "; "))
	}
	b.WriteString(".\n")
	for i, t := range tasks {
		fmt.Fprintf(&b, "\n## %d. %s\n", i+1, t.name)
		for _, p := range programs {
			if len(programs) > 1 {
				fmt.Fprintf(&b, "\n%s:\n", strings.ToUpper(p.name[:1])+p.name[1:])
			}
			fmt.Fprintf(&b, "\n```text\n%s\n```\n", fit(seen[i][look{columns, false, p.name}]))
		}
	}
	return b.String()
}

// fit removes the middle of a very long text.
func fit(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	const most = 40
	if len(lines) > most+1 {
		left := fmt.Sprintf("(%d lines more)", len(lines)-most)
		lines = append(append(lines[:most-10:most-10], left), lines[len(lines)-10:]...)
	}
	return strings.Join(lines, "\n")
}
