package download

import (
	"errors"
	"io/fs"
	"testing"
)

func TestTreatment(t *testing.T) {
	const link = fs.ModeSymlink
	loop := errors.New("too many levels of symbolic links")
	for name, c := range map[string]struct {
		spot
		want treatment
		err  error
	}{
		"a file":                                 {spot{}, replaced, nil},
		"a file of another user":                 {spot{planted: true}, replaced, nil},
		"a directory":                            {spot{mode: fs.ModeDir, end: fs.ModeDir}, 0, errDirectory},
		"a pipe":                                 {spot{mode: fs.ModeNamedPipe, end: fs.ModeNamedPipe}, writtenTo, nil},
		"a device":                               {spot{mode: fs.ModeDevice, end: fs.ModeDevice}, writtenTo, nil},
		"a planted pipe":                         {spot{mode: fs.ModeNamedPipe, end: fs.ModeNamedPipe, planted: true}, 0, errPlanted},
		"a planted device":                       {spot{mode: fs.ModeDevice, end: fs.ModeDevice, planted: true}, 0, errPlanted},
		"a link to a file":                       {spot{mode: link}, followed, nil},
		"a link to nothing":                      {spot{mode: link, end: link, lost: fs.ErrNotExist}, followed, nil},
		"a link to a pipe":                       {spot{mode: link, end: fs.ModeNamedPipe}, writtenTo, nil},
		"a link to a directory":                  {spot{mode: link, end: fs.ModeDir}, 0, errDirectory},
		"a link to itself":                       {spot{mode: link, end: link, lost: loop}, 0, loop},
		"a planted link to a file":               {spot{mode: link, planted: true}, 0, errPlanted},
		"a planted link to nothing":              {spot{mode: link, end: link, lost: fs.ErrNotExist, planted: true}, 0, errPlanted},
		"a planted link to itself":               {spot{mode: link, end: link, lost: loop, planted: true}, 0, errPlanted},
		"a planted link to a pipe or a terminal": {spot{mode: link, end: fs.ModeDevice, planted: true}, 0, errPlanted},
	} {
		if got, err := c.spot.treatment(); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %d, %v; want %d, %v", name, got, err, c.want, c.err)
		}
	}
}
