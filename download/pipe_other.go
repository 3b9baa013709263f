//go:build !unix

package download

import (
	"context"
	"os"
)

// openSpecial opens a pipe or device for writing.
func openSpecial(_ context.Context, name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY, 0)
}
