package download_test

import (
	"testing"

	"github.com/seed1ea3422f/fetch/download"
)

// Different spellings of a name count together, and the first URL of each name is known.
func TestClaims(t *testing.T) {
	var c download.Claims
	if c.IsFirst("a", "http://h/a") {
		t.Error("a name is claimed before it is added")
	}
	for i, name := range []string{"a", "./a", "d/../a", "b"} {
		want := i
		if name == "b" {
			want = 0
		}
		if before := c.Add(name, "http://h/"+name); before != want {
			t.Errorf("%s was added %d times before, want %d", name, before, want)
		}
	}
	if !c.IsFirst("./a", "http://h/a") || c.IsFirst("a", "http://h/./a") {
		t.Error("the first URL of a name is not known")
	}
}
