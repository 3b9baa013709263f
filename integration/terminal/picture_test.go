package main

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPicture: a screen with colours is well-formed SVG, whose text is that of the screen without the
// last prompt.
func TestPicture(t *testing.T) {
	screen := "$ fetch ls\x1b[39m\na  <b>\x1b[1m\x1b[34mdocs\x1b[0m\x1b[39m\n\x1b[0;2mdim\x1b[0m\x0f\n$ \x1b[0m\n\n"
	for _, theme := range themes {
		text := ""
		for d := xml.NewDecoder(strings.NewReader(picture(screen, theme))); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if data, ok := token.(xml.CharData); ok {
				text += strings.ReplaceAll(string(data), "\u00a0", " ")
			}
		}
		if got, want := strings.Fields(text), strings.Fields("$ fetch ls a <b> docs dim"); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s: %q, want %q", theme.name, got, want)
		}
		if !strings.Contains(picture(screen, theme), theme.ansi[4]) {
			t.Errorf("%s: no blue", theme.name)
		}
	}
}
