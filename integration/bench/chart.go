package main

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// The chart is drawn in these units. Ours is one unit long everywhere, so that a bar
// that is longer is that of a tool that takes longer, and cases can be compared.
const (
	nameWidth = 190
	unit      = 160 // of a bar
	longest   = 3.5 // of a bar, in units; a longer bar is cut, and has its number
	row       = 22
	thick     = 8
)

// writeChart draws results as SVG: for each tool a bar for the time that passed, and
// a thinner one for the time of the processor, in terms of ours.
func writeChart(w io.Writer, results []result) error {
	var body strings.Builder
	y := 40
	text := func(x, y int, class, s string) {
		fmt.Fprintf(&body, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, html.EscapeString(s))
	}
	bar := func(y, height int, class string, ratio float64) {
		fmt.Fprintf(&body, "<rect x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" class=\"%s\"/>\n", nameWidth, y, unit*min(ratio, longest), height, class)
	}
	for _, r := range results {
		y += row + 6
		text(10, y, "case", r.what)
		begin := y + 6
		for _, t := range r.tools {
			y += row
			m := t.median()
			wall, cpu := r.ratios(m)
			class := "theirs"
			if strings.HasPrefix(t.name, "fetch") {
				class = "ours"
			}
			text(20, y, class, t.name)
			bar(y-thick-4, thick, class, wall)
			bar(y-3, thick/2, class+" cpu", cpu)
			text(nameWidth+int(unit*min(max(wall, cpu), longest))+6, y, "figure", fmt.Sprintf("%.3f s, %.3f s", m.wall.Seconds(), m.cpu.Seconds()))
		}
		fmt.Fprintf(&body, "<line x1=\"%[1]d\" x2=\"%[1]d\" y1=\"%d\" y2=\"%d\"/>\n", nameWidth+unit, begin, y+4)
	}
	width, height := nameWidth+int(unit*longest)+130, y+20
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="12">
<style>
  text { fill: #222 } .case { font-weight: bold } .figure { fill: #666; font-size: 11px }
  rect.ours { fill: #1f6f8b } rect.theirs { fill: #b9b9b0 } rect.cpu { opacity: .55 }
  line { stroke: #1f6f8b; stroke-dasharray: 2 3 }
</style>
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="10" y="22" class="figure">thick: time that passes; thin: time of the processor; shorter is better; the line is what fetch takes</text>
%s</svg>
`, width, height, width, height, body.String())
	return err
}
