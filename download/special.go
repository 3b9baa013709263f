package download

import "context"

// A special output is a pipe or device. Its reader gets the content at once, so that it can neither
// be verified again nor undone.
type special struct{ handle }

func (s *special) readable() bool { return false }

// commit closes the output, which already has its name.
func (s *special) commit(context.Context, finish) (string, error) {
	return s.file.Name(), s.file.Close()
}

func (s *special) discard() { s.file.Close() }
