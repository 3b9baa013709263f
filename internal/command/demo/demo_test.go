package demo

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/seed1ea3422f/fetch/internal/command/scheme"
)

// Each row of the table of schemes has a scene, and there is no other scene.
func TestScenesAreThoseOfTheTable(t *testing.T) {
	var want []string
	for _, row := range scheme.Rows() {
		want = append(want, row.Scheme)
	}
	slices.Sort(want)
	if got := slices.Sorted(maps.Keys(scenes)); !slices.Equal(got, want) {
		t.Errorf("there are scenes for %q, and rows for %q", got, want)
	}
}

// Each scheme is demonstrated with a URL of its own, once, in the order of the table.
func TestRunDemonstratesEachScheme(t *testing.T) {
	var out bytes.Buffer
	if err := Run(t.Context(), nil, &out); err != nil {
		t.Fatalf("%v, after\n%s", err, &out)
	}
	rest := out.String()
	for _, row := range scheme.Rows() {
		part, after, whole := strings.Cut(rest, "\n\n")
		rest = after
		if !whole || !strings.HasPrefix(part, "fetch "+row.Scheme+":") || !strings.Contains(part, "\n  = ") {
			t.Errorf("of %s it shows\n%s", row.Scheme, part)
		}
	}
	if rest != "" {
		t.Errorf("in the end it shows\n%s", rest)
	}
}

// The order of the arguments is not that of the demonstrations.
func TestRunDemonstratesArguments(t *testing.T) {
	var out bytes.Buffer
	if err := Run(t.Context(), []string{"data", "https", "data"}, &out); err != nil {
		t.Fatal(err)
	}
	got := out.String()
	if !strings.HasPrefix(got, "fetch https://127.0.0.1:") || strings.Count(got, "fetch data:") != 1 || strings.Count(got, "\n\n") != 2 {
		t.Errorf("it shows\n%s", got)
	}
}

// An unknown scheme is an error before anything is shown. A password in it is masked.
func TestRunRefusesUnknownScheme(t *testing.T) {
	for arg, want := range map[string]string{
		"carrier-pigeon":         `no scheme "carrier-pigeon": fetch schemes lists them`,
		"ftp://joe:s3cret@h.dom": `no scheme "ftp://joe:***@h.dom": fetch schemes lists them`,
	} {
		var out bytes.Buffer
		err := Run(t.Context(), []string{"data", arg}, &out)
		if _, ok := errors.AsType[UnknownScheme](err); !ok || err.Error() != want || out.Len() > 0 {
			t.Errorf("of %s it says %v, want %s, and shows %q", arg, err, want, &out)
		}
	}
}

// Run stops if out fails or if the context ends.
func TestRunStops(t *testing.T) {
	errFull := errors.New("full")
	broken := writer(func([]byte) (int, error) { return 0, errFull })
	if err := Run(t.Context(), nil, broken); !errors.Is(err, errFull) {
		t.Errorf("without room for the output the error is %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, []string{"http"}, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context the error is %v", err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// A client of a stage connects to this machine only.
func TestClientStaysHere(t *testing.T) {
	s := newStage()
	defer s.close()
	client := s.client()
	defer client.CloseIdle()
	if _, err := client.Get(t.Context(), "ftp://192.0.2.1/"); err == nil || !strings.Contains(err.Error(), "192.0.2.1 is another machine") {
		t.Errorf("for another machine the error is %v", err)
	}
}

func TestShortened(t *testing.T) {
	for n, want := range map[int]int{0: 0, most: most, most + 1: most, 10 * most: most} {
		lines := slices.Repeat([]string{"x"}, n)
		got := shortened(lines)
		if len(got) != want || slices.Contains(got, "… 289 lines more") != (n == 320) {
			t.Errorf("of %d lines it shows %d: %q", n, len(got), got)
		}
	}
}

func TestBrief(t *testing.T) {
	for in, want := range map[string]string{
		"a\x1b[1mb":                            `a\x1b[1mb`,
		"a\xffb\u202e":                         `a\xffb\u202e`,
		strings.Repeat("é", 100):               strings.Repeat("é", 100),
		strings.Repeat("é", 101):               strings.Repeat("é", 99) + "…",
		strings.Repeat("\n", 2) + "\t\r\u00ad": `\n\n\t\r\xad`,
	} {
		if got := brief(in); got != want {
			t.Errorf("brief(%q) = %q, want %q", in, got, want)
		}
	}
}
