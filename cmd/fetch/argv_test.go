package main

import (
	"slices"
	"testing"
)

// The password behind the file of --cert, as curl takes it, is masked, and a file without one
// is shown.
func TestPasswordsOfCertificatesAreConcealed(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"--cert", "joe:s3cret", "http://h/"}, []string{"--cert", "joe:***", "http://h/"}},
		{[]string{"--cert=a:s3:cret"}, []string{"--cert=a:***"}},
		{[]string{"--cert", "joe.pem", "--key", "joe.key"}, []string{"--cert", "joe.pem", "--key", "joe.key"}},
	} {
		if got := concealed(newCommand().Flags(), c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q is shown as %q, want %q", c.args, got, c.want)
		}
	}
}
