package main

import (
	"fmt"
	"io"
	"strings"
)

// A result is the outcome of one case.
type result struct {
	benchCase
	tools []*tool // tools that were run; ours is the first
}

// print writes the medians of a case, each with its ratio to ours.
func (r result) print(out io.Writer) {
	fmt.Fprintf(out, "  %-24s %18s %18s %12s", "", "wall", "user+system", "memory")
	if r.estimate != nil {
		fmt.Fprintf(out, " connections")
	}
	fmt.Fprintln(out)
	for _, t := range r.tools {
		m := t.median()
		wall, cpu := r.ratios(m)
		fmt.Fprintf(out, "  %-24s %10.3fs (%.2f) %10.3fs (%.2f) %8d KiB", t.name,
			m.wall.Seconds(), wall, m.cpu.Seconds(), cpu, m.memory>>10)
		if r.estimate != nil {
			fmt.Fprintf(out, " %11d", m.connections)
		}
		fmt.Fprintln(out)
	}
}

// ratios returns time that passes and time of the processor in terms of ours.
func (r result) ratios(m measurement) (wall, cpu float64) {
	ours := r.tools[0].median()
	return m.wall.Seconds() / ours.wall.Seconds(), m.cpu.Seconds() / ours.cpu.Seconds()
}

// writeTable writes the results as a table in Markdown. A row has the time of ours, the
// ratios of the others to it, and the connections over a line.
func writeTable(out io.Writer, results []result) {
	fmt.Fprint(out, "\n| case | runs | fetch | others, in terms of fetch |\n|---|---|---|---|\n")
	for _, r := range results {
		var others []string
		for _, t := range r.tools[1:] {
			m := t.median()
			wall, cpu := r.ratios(m)
			if r.estimate != nil {
				others = append(others, fmt.Sprintf("%s %.2f (%d)", t.name, wall, m.connections))
			} else {
				others = append(others, fmt.Sprintf("%s %.2f, %.2f", t.name, wall, cpu))
			}
		}
		m := r.tools[0].median()
		ours := fmt.Sprintf("%.2f s", m.wall.Seconds())
		if r.estimate != nil {
			ours += fmt.Sprintf(" (%d)", m.connections)
		}
		fmt.Fprintf(out, "| %s | %d | %s | %s |\n", r.what, len(r.tools[0].runs), ours, strings.Join(others, " · "))
	}
}
