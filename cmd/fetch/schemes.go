package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/seed1ea3422f/fetch/internal/command/scheme"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// schemes writes the table of schemes. On a narrow terminal the text of the last column stands in
// the column before it.
func schemes(s *term.Streams) error {
	const format = "%-10s %5s  %-57s %s\n"
	width := s.Columns()
	text := fmt.Sprintf(format, "SCHEME", "PORT", "YIELDS", "SPECIFICATION")
	narrow := false
	for _, r := range scheme.Rows() {
		narrow = narrow || 0 < width && width < len(fmt.Sprintf(format, r.Scheme, "", r.Yields, r.Spec))-1
	}
	if narrow {
		text = fmt.Sprintf("%-10s %5s  %s\n", "SCHEME", "PORT", "YIELDS (SPECIFICATION)")
	}
	for _, r := range scheme.Rows() {
		port := "-"
		if n := url.DefaultPort(r.Scheme); n != 0 {
			port = strconv.Itoa(int(n))
		}
		if narrow {
			text += fmt.Sprintf("%-10s %5s  %s\n", r.Scheme, port, term.Wrapped(r.Yields+" ("+r.Spec+")", 18, width))
		} else {
			text += fmt.Sprintf(format, r.Scheme, port, r.Yields, r.Spec)
		}
	}
	_, err := io.WriteString(s.Sink(), text)
	return err
}
