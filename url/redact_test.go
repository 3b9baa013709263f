package url

import "testing"

// WithoutPassword keeps the user name, and does not modify u.
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

// Redacted hides the answers in a form, so that different forms have the same text.
func TestAmbiguous(t *testing.T) {
	for text, want := range map[string]bool{
		"ftp://joe:s3cret@h.example/a":                        false,
		"http://h.example/?a=b":                               false,
		"gopher://h.example/0form%09%09+%091%0D%0A+-1%0D%0As": true,
	} {
		u, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Ambiguous(); got != want {
			t.Errorf("%s (%s): %v, want %v", text, u.Redacted(), got, want)
		}
	}
}
