package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func TestList(t *testing.T) {
	long := strings.Repeat("x", maxLine)
	for _, c := range []struct{ name, list, want string }{
		{"nothing", "", ""},
		{"lines that end as anywhere", "http://a/\r\n\nhttp://b/", "http://a/ http://b/"},
		{"remarks", "# http://a/\n  # b\nhttp://c/\n#", "http://c/"},
		{"a mark at the beginning", "\uFEFFhttp://a/\n", "http://a/"},
		{"a name", "http://a/\tout=b\n", "http://a/>b"},
		{"no name", "http://a/\tout=\nhttp://b/\n", "l:1: out= without a name|http://b/"},
		{"anything else", "http://a/\tmy secret\n", "l:1: what follows a TAB has to be out=FILE, sha256=HEX or mirror=URL"},
		{"a long line", "http://a/\n" + long + "\nhttp://b/\n", "http://a/ l:2: the line has more than 65536 bytes|http://b/"},
		{"a long line at the end", long + long, "l:1: the line has more than 65536 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := make(chan listed)
			go func() {
				defer close(list)
				readList(t.Context(), bufio.NewReaderSize(strings.NewReader(c.list), maxLine), "l", list)
			}()
			var got strings.Builder
			for l := range list {
				switch {
				case l.err != nil:
					got.WriteString(l.err.Error() + "|")
				case l.job.output != "":
					got.WriteString(l.job.text + ">" + l.job.output + " ")
				default:
					got.WriteString(l.job.text + " ")
				}
			}
			if got := strings.TrimRight(got.String(), " |"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A list is no Metalink as soon as that is certain, so that each line is done when it
// is there.
func TestIsMetalink(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool
	}{
		{"http://a/\n", false},
		{"\n# remark\n", false},
		{"\uFEFFh", false},
		{"<U", false},
		{"<http://a/>", false},
		{"<?xml version", true},
		{" \r\n<metalink xmlns", true},
		{"\uFEFF<!DOCTYPE", true},
	} {
		in, out := io.Pipe() // which does not end
		go io.WriteString(out, c.text)
		if got := isMetalink(bufio.NewReader(in)); got != c.want {
			t.Errorf("%q: %v, want %v", c.text, got, c.want)
		}
		in.Close()
	}
	for _, text := range []string{"", "<", "<?", "\xEF", strings.Repeat(" ", 300)} {
		if isMetalink(bufio.NewReader(strings.NewReader(text))) {
			t.Errorf("%q is a Metalink", text)
		}
	}
}

// A pipe that nobody has the other end of does not keep us from ending.
func TestOpeningObeysContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	waits, end := make(chan bool), make(chan bool)
	go func() {
		<-waits
		cancel()
	}()
	f, err := opened(ctx, func() (*os.File, error) {
		close(waits)
		<-end
		return nil, os.ErrInvalid
	})
	close(end)
	if f != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v; want that of the context", f, err)
	}
	if _, err = opened(t.Context(), func() (*os.File, error) { return nil, os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("%v, want that of open", err)
	}
}
