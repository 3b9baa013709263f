package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

func names(cases []benchCase) (names []string) {
	for _, c := range cases {
		names = append(names, c.name)
	}
	return names
}

func TestChoose(t *testing.T) {
	all := casesOf(1<<20, "gopher://127.0.0.1")
	for _, c := range []struct {
		names []string
		want  []string // some of those that are chosen
		count int
	}{
		{nil, []string{"http", "ftp-many", "start"}, len(all) - len(lineCases())},
		{[]string{"http", "ftp"}, []string{"http", "ftp"}, 2},
		{[]string{"line"}, brief, len(brief)},
		{[]string{"line-*"}, brief, len(lineCases())},
		{[]string{"line-*-bbr-http-20m", "line"}, []string{"line-100mbit-80ms-loss-bbr-http-20m"}, len(brief) + 2},
		{[]string{"http", "no such case"}, nil, -1},
		{[]string{"["}, nil, -1},
	} {
		chosen, err := choose(all, c.names)
		if (err != nil) != (c.count < 0) {
			t.Errorf("%q: %v", c.names, err)
		}
		if err != nil {
			continue
		}
		got := names(chosen)
		if len(got) != c.count {
			t.Errorf("%q are %d cases, want %d: %q", c.names, len(got), c.count, got)
		}
		for _, name := range c.want {
			if !slices.Contains(got, name) {
				t.Errorf("%q lacks %s", c.names, name)
			}
		}
	}
}

// TestNamesOfCases: a name is that of one case, and its directory's.
func TestNamesOfCases(t *testing.T) {
	all := names(casesOf(1<<20, "gopher://127.0.0.1"))
	slices.Sort(all)
	if len(slices.Compact(slices.Clone(all))) != len(all) {
		t.Errorf("a name stands for two cases: %q", all)
	}
	for _, name := range all {
		if strings.ContainsAny(name, "/ *") {
			t.Errorf("%q is no name of a directory", name)
		}
	}
}

func TestToolsOfACase(t *testing.T) {
	for _, c := range []struct{ tools, base, want string }{
		{"", "", "fetch, fetch --segments 1, curl, aria2c -x4"},
		{"curl", "", "fetch, curl"},
		{"aria2c*,curl", "", "fetch, curl, aria2c -x4"},
		{"", "/old/fetch", "fetch, fetch (before), fetch --segments 1, fetch (before) --segments 1, curl, aria2c -x4"},
		{"no tool", "/old/fetch", "fetch, fetch (before)"},
	} {
		b := benchCase{tools: []tool{command("fetch"), command("fetch --segments 1"), command("curl"), command("aria2c -x4")}}
		if err := b.only(c.tools); err != nil {
			t.Fatal(err)
		}
		b.against(c.base)
		var got []string
		for _, tool := range b.tools {
			got = append(got, tool.name)
			path, err := locate(tool, "/new/fetch")
			want := "/new/fetch"
			if strings.Contains(tool.name, "(before)") {
				want = "/old/fetch"
			}
			if strings.HasPrefix(tool.name, "fetch") && (path != want || err != nil) {
				t.Errorf("%s is %s, %v", tool.name, path, err)
			}
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("-tools %q -base %q: %s, want %s", c.tools, c.base, s, c.want)
		}
	}
	if err := (&benchCase{tools: []tool{{}, {}}}).only("["); err == nil {
		t.Error("[ is a pattern")
	}
}

// TestTimeOf holds the estimates against the least that a line can take.
func TestTimeOf(t *testing.T) {
	lossy := line.Options{Mbit: 100, RTT: 80 * time.Millisecond, Loss: 0.005, Control: "reno"}
	paced := lossy
	paced.Control = "bbr"
	for _, c := range []struct {
		name        string
		o           line.Options
		connections float64
		held        float64
		least, most time.Duration
	}{
		{"the line's rate", line.Options{Mbit: 100, RTT: 40 * time.Millisecond}, 1, 0, 1600 * time.Millisecond, 2500 * time.Millisecond},
		{"a connection held to 2 MiB/s", line.Options{Mbit: 100}, 1, 2 << 20, 10 * time.Second, 10 * time.Second},
		{"four of them", line.Options{Mbit: 100}, 4, 2 << 20, 2500 * time.Millisecond, 2500 * time.Millisecond},
		{"reno and loss", lossy, 1, 0, 60 * time.Second, 75 * time.Second},
		{"four of reno", lossy, 4, 0, 15 * time.Second, 20 * time.Second},
		{"bbr and loss", paced, 1, 0, 1600 * time.Millisecond, 3 * time.Second},
	} {
		if got := timeOf(c.o, 20<<20, c.connections, c.held); got < c.least || got > c.most {
			t.Errorf("%s: 20 MiB take %v, want %v to %v", c.name, got, c.least, c.most)
		}
	}
}
