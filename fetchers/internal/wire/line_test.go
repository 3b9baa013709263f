package wire_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/internal/wire"
)

func TestCheckLine(t *testing.T) {
	for _, line := range []string{"\r\n", "CWD pub\r\n", "TAB\tand \x01\x7f\xff\r\n"} {
		if err := wire.CheckLine([]byte(line)); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, line := range []string{
		"", "CWD pub", "CWD pub\n", "CWD pub\r", "\n\r",
		"CWD pub\r\nDELE x\r\n", "CWD pub\nDELE x\r\n", "CWD pub\rDELE x\r\n", "CWD pub\r\r\n", "\n\r\n", "CWD a\x00b\r\n",
	} {
		if err := wire.CheckLine([]byte(line)); !errors.Is(err, wire.ErrLine) {
			t.Errorf("%q: error = %v, want ErrLine", line, err)
		}
	}
}

// TestLines cuts a stream at every two positions.
func TestLines(t *testing.T) {
	const stream = "220 ready\r\n\r\nbare\nwith \r inside\r\n\n\r\r\npartial"
	want := []string{"220 ready", "", "bare", "with \r inside", "", "\r"}
	for i := range len(stream) + 1 {
		for j := i; j <= len(stream); j++ {
			var l wire.Lines
			var got []string
			add := func(line string) { got = append(got, line) }
			for _, part := range []string{stream[:i], stream[i:j], stream[j:]} {
				l.Feed([]byte(part), add)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("cut at %d and %d: %q, want %q", i, j, got, want)
			}
			l.Feed([]byte(" no more\n"), add)
			if last := got[len(got)-1]; last != "partial no more" {
				t.Fatalf("cut at %d and %d: the rest is %q", i, j, last)
			}
		}
	}
}

// TestLinesAreKept: what Feed was given may be used again.
func TestLinesAreKept(t *testing.T) {
	var l wire.Lines
	var got []string
	p := []byte("first\nse")
	l.Feed(p, func(line string) { got = append(got, line) })
	copy(p, "XXXXXXXX")
	l.Feed([]byte("cond\n"), func(line string) { got = append(got, line) })
	if strings.Join(got, " ") != "first second" {
		t.Errorf("lines are %q", got)
	}
}
