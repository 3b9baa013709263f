package url

import "testing"

func TestFileOf(t *testing.T) {
	for path, want := range map[string]string{
		"/home/joe/a b": "file:///home/joe/a%20b",
		"C:/Users/joe":  "file:///C:/Users/joe",
		"/":             "file:///",
	} {
		if got := FileOf(path).URL().String(); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
