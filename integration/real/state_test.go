package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestStateIsReadAsItWasWritten(t *testing.T) {
	dir := t.TempDir()
	st, err := load(dir)
	if err != nil || len(st) != 0 {
		t.Fatalf("before anything was up: %v, %v", st, err)
	}
	st["nginx"] = record{PID: 4711, Start: 1 << 40, Command: "nginx", Mark: "M=1", Addresses: []string{"http=127.0.0.1:1"}}
	if err := st.save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := load(dir)
	if err != nil || !reflect.DeepEqual(again, st) {
		t.Errorf("%v, %v, want %v", again, err, st)
	}
}

func TestABrokenStateIsAnErrorThatNamesTheFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "state.json")
	if err := os.WriteFile(name, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := load(dir); err == nil || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v", err)
	}
}

func TestParseStat(t *testing.T) {
	const rest = " S 1 29475 29470 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 127383 99 98"
	for _, c := range []struct {
		name, line string
		want       process
	}{
		{"plain", "27858 (vsftpd)" + rest, process{27858, "vsftpd", "S", 29470, 127383}},
		{"a command with all that disturbs", "1 (a) b (c) d)" + rest, process{1, "a) b (c) d", "S", 29470, 127383}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseStat(c.line)
			if err != nil || got != c.want {
				t.Errorf("%+v, %v, want %+v", got, err, c.want)
			}
		})
	}
	for _, bad := range []string{"", "12", "12 (x", ") 12 (", "12 (x) S 1", "x (x)" + rest} {
		if p, err := parseStat(bad); err == nil {
			t.Errorf("%q is taken for %+v", bad, p)
		}
	}
}

func TestRunTellsUsageFromFailure(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want int
	}{
		{nil, 2},
		{[]string{"sideways"}, 2},
		{[]string{"up", "-nosuch"}, 2},
		{[]string{"up", "nosuch"}, 2},
		{[]string{"down", "-dir", filepath.Join(dir, "never")}, 0},
		{[]string{"status", "-dir", dir}, 0},
	} {
		var out, errs strings.Builder
		if got := run(c.args, &out, &errs); got != c.want {
			t.Errorf("%q: %d, want %d; %s", c.args, got, c.want, errs.String())
		}
	}
}
