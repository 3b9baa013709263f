package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/scheme"
	"github.com/seed1ea3422f/fetch/url"
)

// schemes writes the table of schemes. If a terminal has no room for the last column,
// that is put into the one before.
func (a *app) schemes(*cobra.Command, []string) error {
	const format = "%-10s %5s  %-57s %s\n"
	width := columns(a.stdout)
	text := fmt.Sprintf(format, "SCHEME", "PORT", "YIELDS", "SPECIFICATION")
	rows, narrow := scheme.Rows(), false
	for _, r := range rows {
		narrow = narrow || 0 < width && width < len(fmt.Sprintf(format, r.Scheme, "", r.Yields, r.Spec))-1
	}
	if narrow {
		text = fmt.Sprintf("%-10s %5s  %s\n", "SCHEME", "PORT", "YIELDS (SPECIFICATION)")
	}
	for _, r := range rows {
		port := "-"
		if n := url.DefaultPort(r.Scheme); n != 0 {
			port = strconv.Itoa(int(n))
		}
		if narrow {
			text += fmt.Sprintf("%-10s %5s  %s\n", r.Scheme, port, wrapped(r.Yields+" ("+r.Spec+")", 18, width))
		} else {
			text += fmt.Sprintf(format, r.Scheme, port, r.Yields, r.Spec)
		}
	}
	_, err := io.WriteString(sink{a.stdout}, text)
	return err
}
