package gopher

import (
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// maxFailure limits the message of a failure, in bytes.
const maxFailure = 4 << 10

// failure returns the result of a status line with "-" (Gopher+, section 2.4). The number in it is
// a length. The code is in the first line after it, followed by the administrator; the other lines
// are the message.
func (a *answer) failure(u *url.URL) (*fetchers.Resource, error) {
	body, readErr := io.ReadAll(io.LimitReader(a.body(fetchers.Listing, false), maxFailure))
	first, rest, _ := strings.Cut(string(bytes.TrimSpace(body)), "\n")
	word, after, _ := strings.Cut(strings.TrimSpace(first), " ")
	code, err := strconv.Atoi(word)
	if err != nil {
		rest, after = string(body), ""
	}
	message := strings.Join(strings.Fields(rest), " ")
	if message == "" {
		message = strings.TrimSpace(after)
	}
	switch {
	case message == "" && readErr != nil:
		return nil, readErr
	case code == 3:
		if moved, ok := ParseItem(strings.TrimSpace(after)); ok {
			if to := moved.URL(); to != nil {
				res := &fetchers.Resource{URL: u, Kind: fetchers.Redirect, Location: to, Leads: fetchers.Anywhere, Size: -1, Reply: fetchers.Reply{Code: code, Text: message}}
				a.conn.Mark(res)
				res.SetBody(nil)
				return res, nil
			}
		}
	}
	a.trace.Got(message)
	class := classOf(message)
	switch {
	case code == 1 && class == nil:
		class = fs.ErrNotExist // "item is not available"
	case code == 2:
		class = fetchers.ErrTemporary // "try again later"
	}
	return nil, &fetchers.StatusError{Reply: fetchers.Reply{Code: code, Text: message}, Class: class}
}

// plainError returns the error in a plain answer to a request for an item of type t, or nil. Plain
// gopher has no status. An answer is an error only if it contains nothing else: a line of type 3,
// or of type 0 with the host "error.host", and in a menu lines of text around it. The suffix of a
// file name, or words in a text, prove nothing.
func (a *answer) plainError(t byte) error {
	head, err := a.ahead(func(head []byte) bool {
		return head[0] != '3' && head[0] != '0' || bytes.IndexByte(head, '\n') >= 0
	})
	item, ok := errorLine(head, t)
	if !ok {
		return nil
	}
	if err == nil {
		head, err = a.ahead(func(head []byte) bool { return !onlyError(head, t) || endsMenu(head) })
	}
	if err != nil && err != io.EOF || err == nil && !endsMenu(head) || !onlyError(head, t) {
		return nil
	}
	a.trace.Got(item.Name)
	return &fetchers.StatusError{Reply: fetchers.Reply{Text: item.Name}, Class: classOf(item.Name)}
}

// errorLine returns the first line of text, if it is an error. Outside of menus its host has to be
// "error.host".
func errorLine(text []byte, t byte) (Item, bool) {
	line, _, _ := strings.Cut(string(text), "\n")
	item, ok := ParseItem(strings.TrimSuffix(line, "\r"))
	if !ok || item.Type != '3' && item.Type != '0' {
		return Item{}, false
	}
	nowhere := item.Selector == "" && item.Host == "error.host" && item.Port == "1"
	return item, nowhere || item.Type == '3' && kindOf(t) == fetchers.Listing && item.Host != ""
}

// onlyError reports whether text, which begins with an error line, contains nothing else so far.
func onlyError(text []byte, t byte) bool {
	lines := strings.Split(string(text), "\n")
	for _, line := range lines[1:] {
		words := kindOf(t) == fetchers.Listing && line != "" && kindOf(line[0]) == fetchers.Text
		if !words && line != "" && line != "." && line != ".\r" {
			return false
		}
	}
	return true
}

// endsMenu reports whether text ends with a line of a single dot.
func endsMenu(text []byte) bool {
	return bytes.HasSuffix(text, []byte("\n.\r\n")) || bytes.HasSuffix(text, []byte("\n.\n"))
}

// classOf returns the class of an error according to its words.
func classOf(words string) error {
	words = strings.ToLower(words)
	for _, class := range []struct {
		err   error
		words []string
	}{
		{fs.ErrNotExist, []string{"not exist", "not found", "cannot access"}},
		{fetchers.ErrProtocol, []string{"malformed"}},
		{fs.ErrPermission, []string{"denied", "no access", "not allowed", "refus", "password is incorrect"}},
	} {
		for _, w := range class.words {
			if strings.Contains(words, w) {
				return class.err
			}
		}
	}
	return nil
}
