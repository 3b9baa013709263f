//go:build !linux

package download

import (
	"errors"
	"os"
	"time"
)

// openUnnamed returns an error, as the system has no unnamed files.
func openUnnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }

func dateUnnamed(*os.File, time.Time) error { return errors.ErrUnsupported }
