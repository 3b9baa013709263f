package server

import "github.com/seed1ea3422f/fetch/integration/wire"

// Cleanup closes a server when a test ends, and shows the transcript of a test that
// failed.
func Cleanup(t wire.TB, s interface {
	Close()
	Transcript() []string
}) {
	t.Helper()
	t.Cleanup(func() {
		s.Close()
		if t.Failed() {
			for _, line := range s.Transcript() {
				t.Logf("C: %q", line)
			}
		}
	})
}
