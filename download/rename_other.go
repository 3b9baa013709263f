//go:build !linux

package download

import "errors"

// renameNew returns an error, as the system cannot do that.
func renameNew(_, _ string) error { return errors.ErrUnsupported }
