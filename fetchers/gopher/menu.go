package gopher

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// maxLine limits a line of a menu or of attributes, in bytes. Real lines fit on a screen.
const maxLine = 64 << 10

// lines yields the lines of r without their ends. An incomplete line before an error is dropped;
// one at the end is kept.
func lines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		in := bufio.NewReaderSize(r, maxLine)
		for {
			line, err := in.ReadSlice('\n')
			switch {
			case err == bufio.ErrBufferFull:
				yield("", fmt.Errorf("%w: a line of more than %d bytes", fetchers.ErrProtocol, maxLine))
				return
			case err == io.EOF && len(line) == 0:
				return
			case err != nil && err != io.EOF:
				yield("", err)
				return
			}
			text := strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")
			if !yield(text, nil) || err == io.EOF {
				return
			}
		}
	}
}

// parseMenu is a Parse for menus (RFC 1436, section 3.8). A dot ends one.
func parseMenu(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		var last byte // the type of the latest item that is not a mirror
		for line, err := range lines(body) {
			if err != nil {
				yield(fetchers.Entry{}, err)
				return
			}
			switch line {
			case ".":
				return
			case "": // written by scripts
				continue
			}
			e := unparsed(line)
			if item, ok := ParseItem(line); ok {
				if item.Type != '+' {
					last = item.Type
				}
				item.same = last
				e = item.entry(line)
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// parseEither is a Parse for a body that may be attributes, or the menu of a server without
// attributes.
func parseEither(body io.Reader) iter.Seq2[fetchers.Entry, error] {
	return func(yield func(fetchers.Entry, error) bool) {
		in := bufio.NewReader(body)
		parse := parseMenu
		if head, _ := in.Peek(len("+INFO")); string(head) == "+INFO" {
			parse = parseAttributes
		}
		parse(in)(yield)
	}
}
