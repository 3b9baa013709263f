package option

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/pipe"
)

// maxUserFile is the size of the largest file of flags, in bytes.
const maxUserFile = 1 << 20

// A userFile is an open file of flags with its content.
type userFile struct {
	*os.File
	data []byte
}

// readUserFile opens a file of flags and reads it, unless ctx is done before. A file of more
// than maxUserFile bytes is an error. The caller closes the file.
func readUserFile(ctx context.Context, open func() (*os.File, error)) (userFile, error) {
	return pipe.Open(ctx, func() (userFile, error) {
		file, err := open()
		if err != nil {
			return userFile{}, err
		}
		data, err := io.ReadAll(io.LimitReader(file, maxUserFile+1))
		if err == nil && len(data) > maxUserFile {
			err = fmt.Errorf("%s: more than %d bytes", Tilde(file.Name()), maxUserFile)
		}
		if err != nil {
			file.Close()
		}
		return userFile{file, data}, err
	})
}

// ConfigDir returns the directory of the user's configuration.
func ConfigDir() (string, error) {
	if dir := os.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fetch"), nil
	}
	if runtime.GOOS == "windows" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "fetch"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".config", "fetch"), err
}

// CheckPrivate returns an error if other users may read a file that holds passwords.
func CheckPrivate(file *os.File) error {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		err = fmt.Errorf("%s holds passwords, and others may read it (mode %04o): chmod 600 it", file.Name(), info.Mode().Perm())
	}
	return err
}

// Tilde returns the name of a file with ~ for the home directory.
func Tilde(name string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(name, home+string(filepath.Separator)); ok {
			return "~" + string(filepath.Separator) + rest
		}
	}
	return name
}
