package download

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// openers open an output of each kind for the file called name.
var openers = map[string]func(t *testing.T, name string) output{
	"named": func(t *testing.T, name string) output {
		return opened(t)(create(t.Context(), name, replacesOwn))
	},
	"beside": func(t *testing.T, name string) output {
		return opened(t)(createBeside(name, replacesOwn))
	},
	"unnamed": func(t *testing.T, name string) output {
		f, err := openUnnamed(name)
		if err != nil {
			t.Skip(err) // not every file system supports such files
		}
		return &unnamed{handle{f}, name, func(ctx context.Context) (output, error) { return create(ctx, name, replacesOwn) }}
	},
}

func opened(t *testing.T) func(output, error) output {
	return func(out output, err error) output {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

// TestOutputBecomesTheFile checks that an output can be read, gets its name only on commit, and
// then replaces an existing file or leaves it alone.
func TestOutputBecomesTheFile(t *testing.T) {
	for kind, open := range openers {
		for _, before := range []string{"", "old"} {
			t.Run(kind+" over "+before, func(t *testing.T) {
				name := filepath.Join(t.TempDir(), "f")
				if before != "" {
					if err := os.WriteFile(name, []byte(before), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				out := open(t, name)
				io.WriteString(out, "n..")
				if _, err := out.WriteAt([]byte("ew"), 1); err != nil {
					t.Fatal(err)
				}
				again := make([]byte, 3)
				if _, err := out.ReadAt(again, 0); !out.readable() || string(again) != "new" || out.size() != 3 {
					t.Errorf("it reads %q, %v", again, err)
				}
				if content, _ := os.ReadFile(name); string(content) != before {
					t.Errorf("before it is committed, the file holds %q", content)
				}
				how, want := finish{beside: kind == "beside"}, name
				if how.beside && before != "" {
					want += ".1"
				}
				if got, err := out.commit(t.Context(), how); got != want || err != nil {
					t.Fatalf("committed as %q, %v; want %q", got, err, want)
				}
				if content, _ := os.ReadFile(want); string(content) != "new" {
					t.Errorf("the file holds %q", content)
				}
			})
		}
	}
}

// TestDiscardedOutput checks that nothing is left of a discarded output, and that the existing file
// stays.
func TestDiscardedOutput(t *testing.T) {
	for kind, open := range openers {
		t.Run(kind, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(name, []byte("old"), 0o666); err != nil {
				t.Fatal(err)
			}
			out := open(t, name)
			io.WriteString(out, "new")
			out.discard()
			if _, err := io.WriteString(out, "more"); !errors.Is(err, os.ErrClosed) {
				t.Errorf("it takes more: %v", err)
			}
			content, _ := os.ReadFile(name)
			if there, _ := os.ReadDir(filepath.Dir(name)); len(there) != 1 || string(content) != "old" {
				t.Errorf("there are %v, and the file holds %q", there, content)
			}
		})
	}
}

// TestSpecialOutput checks that a device is written to and never replaced or read.
func TestSpecialOutput(t *testing.T) {
	out := opened(t)(create(t.Context(), os.DevNull, replacesOwn))
	if _, err := io.WriteString(out, "new"); err != nil || out.readable() {
		t.Errorf("readable: %v, %v", out.readable(), err)
	}
	if name, err := out.commit(t.Context(), finish{}); name != os.DevNull || err != nil {
		t.Errorf("committed as %q, %v", name, err)
	}
}

// The next download replaces the partial file that a killed program left, however small it is, and
// does not treat it as another program's file.
func TestLeftBySmall(t *testing.T) {
	for kind, begin := range map[string]func(name string) (*partial, error){
		"a part": func(name string) (*partial, error) {
			p, err := Create(name)
			return p.out.(*partial), err
		},
		"the copy of an unnamed file": func(name string) (*partial, error) {
			a := &attempt{known: known{goal: goal{to: Target{Name: name}}}, name: name}
			out, err := marked(a.openNamed(t.Context(), name))
			return out.(*partial), err
		},
	} {
		t.Run(kind, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			killed, err := begin(name)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(killed, "half")
			killed.leave()
			again, err := Create(name)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(again, "whole")
			if err := again.Commit(); err != nil {
				t.Fatal(err)
			}
			if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 1 {
				t.Errorf("there are %v", entries)
			}
		})
	}
}

// Discard removes the files of a download, and no other files.
func TestDiscard(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	if err := Discard(name); err != nil {
		t.Error(err)
	}
	p, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := Discard(name); !errors.Is(err, ErrBusy) {
		t.Errorf("while it is written: %v", err)
	}
	io.WriteString(p, "half")
	p.out.(*partial).leave()
	if err := Discard(name); err != nil {
		t.Error(err)
	}
	if entries, _ := os.ReadDir(filepath.Dir(name)); len(entries) != 0 {
		t.Errorf("there are %v", entries)
	}
	os.WriteFile(name+".part", []byte("mine"), 0o666)
	if err := Discard(name); err != nil || !isThere(name+".part") {
		t.Errorf("a file of another program: %v", err)
	}
}
