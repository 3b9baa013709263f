package url

import "testing"

// WithoutPassword keeps the user, and leaves the URL itself as it is.
func TestWithoutPassword(t *testing.T) {
	for given, want := range map[string]string{
		"ftp://joe:s3cret@h.example/a": "ftp://joe@h.example/a",
		"ftp://joe@h.example/a":        "ftp://joe@h.example/a",
		"http://h.example/?a:b@c":      "http://h.example/?a:b@c",
	} {
		u, err := Parse(given)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.WithoutPassword().String(); got != want || u.String() != given {
			t.Errorf("%s becomes %s, want %s; it is now %s", given, got, want, u)
		}
	}
}
