package job

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/url/idn"
)

// isMetalink reports whether a list begins as XML does, and no list of URLs. It waits for
// no more octets than decide it, since the list may be typed at a terminal.
func isMetalink(in *bufio.Reader) bool {
	for n := 1; n <= 256; n++ {
		head, err := in.Peek(n)
		begin := strings.TrimLeft(strings.TrimPrefix(string(head), "\uFEFF"), " \t\r\n")
		open := strings.HasPrefix("\uFEFF", begin)
		for _, mark := range []string{"<?xml", "<metalink", "<!"} {
			if strings.HasPrefix(begin, mark) {
				return true
			}
			open = open || strings.HasPrefix(mark, begin)
		}
		if err != nil || !open {
			return false
		}
	}
	return false
}

// readMetalink returns the files that a Metalink describes.
func readMetalink(in io.Reader, name string) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for file, err := range download.ReadMetalink(in) {
			j := Job{
				Where:  fmt.Sprintf("%s: %s: ", name, file.Name),
				Output: file.Name, Size: file.Size, Sum: file.Sum, Pieces: file.Pieces, Unproven: file.Unproven,
				Stranger: true,
			}
			places := slices.DeleteFunc(file.URLs, func(text string) bool { return !StrangerMayName(text) })
			switch {
			case err == nil && len(places) == 0:
				err = fetchers.ErrNotRetrievable
			case err == nil:
				j.Text, j.Mirrors = places[0], places[1:]
			case file.Name == "":
				j.Where = name + ": "
			}
			if !yield(j, j.unread(err)) {
				return
			}
		}
	}
}

// StrangerMayName reports whether a stranger, such as the author of a Metalink, may say that
// a file is at a URL: one of a scheme to which redirections lead, without a login.
func StrangerMayName(text string) bool {
	u, err := idn.Parse(text)
	return err == nil && option.In(option.Transfer, u.Scheme) && u.User == nil
}
