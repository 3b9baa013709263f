package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// FuzzMenu checks that each line of a menu is an entry, and that a URL in an entry produces a
// single request line.
func FuzzMenu(f *testing.F) {
	f.Add("iHello\t\terror.host\t1\r\n0A\t/a\th\t70\t+\r\n.\r\n")
	f.Add("8x\tu\th\t23\n+y\t\th\t70\nhz\tURL:http://h/\th\t70\n\n0short\n")
	f.Fuzz(func(t *testing.T, menu string) {
		var want []string
		for line := range strings.Lines(menu) {
			line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
			if line == "." {
				break
			}
			if line != "" {
				want = append(want, line)
			}
		}
		n := 0
		for e, err := range parseMenu(iotest.OneByteReader(strings.NewReader(menu))) {
			if err != nil {
				return // line too long
			}
			checkEntry(t, e, want[n])
			n++
		}
		if n != len(want) {
			t.Errorf("%d entries of %d lines", n, len(want))
		}
	})
}

func checkEntry(t *testing.T, e fetchers.Entry, line string) {
	switch {
	case e.Kind == fetchers.Unparsed:
		if e.Name != line || e.URL != nil {
			t.Errorf("%q is kept as %q, %v", line, e.Name, e.URL)
		}
		return
	case !strings.Contains(line, e.Name):
		t.Errorf("%q is called %q", line, e.Name)
	case e.Kind == fetchers.Text:
		return
	case e.URL == nil:
		t.Fatalf("%q is a %v without a URL", line, e.Kind)
	}
	again, err := url.Parse(e.URL.String())
	if err != nil {
		t.Fatalf("%q leads to %s: %v", line, e.URL, err)
	}
	if again.Scheme == "file" {
		t.Errorf("%q leads to a local file", line)
	}
	if e.URL.Scheme != "gopher" || strings.HasPrefix(line, "h") || strings.HasPrefix(line, "+") {
		return
	}
	g, err := again.Gopher()
	if err != nil {
		t.Fatalf("%q leads to %s: %v", line, e.URL, err)
	}
	if sent := requestLine(g); strings.ContainsAny(sent, "\r\n\x00") || !strings.HasPrefix(sent, e.Sys.(Item).Selector) || g.Block != "" {
		t.Errorf("%q sends %q", line, sent)
	}
}

// FuzzAnswer checks that a status line is valid or part of the body, and that a body is unmodified
// except for a dot.
func FuzzAnswer(f *testing.F) {
	f.Add("+5\r\nhello", true, true)
	f.Add("+-1\r\nhello\r\n.\r\n", true, false)
	f.Add("--1\r\n1 a <b>\r\nno\r\n.\r\n", true, true)
	f.Add("one\n.\ntwo\n.", false, true)
	f.Fuzz(func(t *testing.T, came string, plus, text bool) {
		a := &answer{trace: fetchers.ContextTrace(t.Context()), length: byClose}
		a.in = bufio.NewReaderSize(&source{r: iotest.HalfReader(strings.NewReader(came))}, maxAhead)
		if err := a.begin(plus); err != nil {
			if !errors.Is(err, fetchers.ErrProtocol) {
				t.Errorf("%q: %v", came, err)
			}
			return
		}
		rest := came
		if a.plus {
			_, rest, _ = strings.Cut(came, "\n")
		}
		if a.failed {
			if res, err := a.failure(&url.URL{}); (res == nil) == (err == nil) {
				t.Errorf("%q: %v, %v", came, res, err)
			}
			return
		}
		body, err := io.ReadAll(a.body(fetchers.Document, text))
		switch {
		case !strings.HasPrefix(rest, string(body)):
			t.Errorf("%q has the body %q", came, body)
		case err != nil && !(a.plus && errors.Is(err, io.ErrUnexpectedEOF)):
			t.Errorf("%q: %v", came, err)
		case err == nil && a.length >= 0 && int64(len(body)) != a.length:
			t.Errorf("%q has a body of %d", came, len(body))
		case err == nil && a.length < 0 && finalDot([]byte(rest[len(body):]), true) != len(rest)-len(body):
			t.Errorf("%q has the body %q", came, body)
		case a.confirmed.Load() && err != nil:
			t.Errorf("%q is confirmed, and %v", came, err)
		}
	})
}

// FuzzAttributes checks that parsed items and their requests are valid, and that no line of data is
// lost.
func FuzzAttributes(f *testing.F) {
	f.Add("+INFO: 0a\t/a\th\t70\t+\r\n+VIEWS:\r\n Text/plain: <1k>\r\n+ASK:\r\n Ask: x\ty\r\n")
	f.Add("+INFO 1x\n+ABSTRACT\n a\nb\n+\n+INFO:\n")
	f.Fuzz(func(t *testing.T, text string) {
		data := 0
		for item, err := range ParseAttributes(strings.NewReader(text)) {
			if err != nil {
				return
			}
			if len(item.Blocks) == 0 || item.Blocks[0].Name != "INFO" {
				t.Fatalf("the item is %+v", item)
			}
			for _, b := range item.Blocks {
				if strings.ContainsAny(b.Name, "+: \n") {
					// "+" may come first: "++X".
					if strings.ContainsAny(strings.TrimLeft(b.Name, "+"), ": \n") {
						t.Errorf("a block is called %q", b.Name)
					}
				}
				data += len(b.Lines)
			}
			item.Views()
			item.Form()
		}
		if lines := strings.Count(text, "\n") + 1; data > lines {
			t.Errorf("%d lines of data from %d lines", data, lines)
		}
		for e, err := range parseAttributes(bytes.NewReader([]byte(text))) {
			if err != nil {
				return
			}
			if e.Kind != fetchers.Unparsed && e.Kind != fetchers.Text && e.URL == nil {
				t.Errorf("a %v without a URL", e.Kind)
			}
		}
	})
}

// FuzzForm checks that a filled-in form is a valid URL whose data block contains the answers, and
// ends once.
func FuzzForm(f *testing.F) {
	f.Add("Ask: Your name?\tNobody\nSelect: x:1\nChoose: c\ta\tb\nAskL: l", "Al\n1\nb\nlines")
	f.Fuzz(func(t *testing.T, ask, answers string) {
		form := ParseForm(strings.Split(ask, "\n"))
		at, err := url.Parse("gopher://h/0f%09%09?")
		if err != nil {
			t.Fatal(err)
		}
		u, err := form.Fill(at, strings.Split(answers, "\n"))
		if err != nil {
			return
		}
		again, err := url.Parse(u.String())
		if err != nil {
			t.Fatal(err)
		}
		g, err := again.Gopher()
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		if !strings.HasPrefix(g.Block, "+-1\r\n") || strings.Index(g.Block, "\r\n.\r\n") != len(g.Block)-5 {
			t.Errorf("the block is %q", g.Block)
		}
	})
}
