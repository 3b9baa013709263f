//go:build !linux

package download

import "errors"

// renameNew returns an error, as the system does not support it.
func renameNew(_, _ string) error { return errors.ErrUnsupported }
