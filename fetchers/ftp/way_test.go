package ftp

import "testing"

// The cost of a kept connection is the number of commands to the directory.
func TestWay(t *testing.T) {
	for _, c := range []struct {
		at, home string
		dirs     []string
		steps    int
		ok       bool
	}{
		{"", "", []string{"a", "b"}, 2, true},
		{"a", "", []string{"a", "b"}, 1, true},
		{"a", "", []string{"a"}, 0, true},
		{"a", "", []string{"b"}, 0, false},
		{"a", "/", []string{"b"}, 2, true},
	} {
		s := &session{home: c.home}
		if c.at != "" {
			s.at = []string{c.at}
		}
		if steps, ok := s.way(c.dirs); ok != c.ok || ok && steps != c.steps {
			t.Errorf("from %q to %q: %d, %v", c.at, c.dirs, steps, ok)
		}
	}
}
