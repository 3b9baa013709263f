package download

import "context"

// A special output is a pipe or device. Its content is with its reader as soon as it is
// written, so it can neither be verified again nor taken back.
type special struct{ handle }

func (s *special) readable() bool { return false }

// commit closes the output, which has its name already.
func (s *special) commit(context.Context, finish) (string, error) {
	return s.file.Name(), s.file.Close()
}

func (s *special) discard() { s.file.Close() }
