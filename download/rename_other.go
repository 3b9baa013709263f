//go:build !linux

package download

import "errors"

// renameNew is not there.
func renameNew(_, _ string) error { return errors.ErrUnsupported }
