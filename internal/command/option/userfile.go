package option

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/pipe"
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

// StateFile returns the name of a file in which the command remembers something for its next
// run, or "" if the user has no home directory. Its directory need not exist.
func StateFile(name string) string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fetch", name)
	}
	if runtime.GOOS == "windows" {
		if dir, err := os.UserCacheDir(); err == nil {
			return filepath.Join(dir, "fetch", name)
		}
		return ""
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "fetch", name)
}

// CheckPrivate returns an error if other users may read a file. has names the secret in the file
// for the error, as "holds passwords" does.
func CheckPrivate(file *os.File, has string) error {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		err = fmt.Errorf("%s %s, and others may read it (mode %04o): chmod 600 it", file.Name(), has, info.Mode().Perm())
	}
	return err
}

// homed returns the name of a file with the home directory for ~ and for the ~ of ~/. A shell
// does so for arguments; no shell reads the configuration.
func homed(name string) (string, error) {
	rest, ok := strings.CutPrefix(name, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return name, nil
	}
	home, err := os.UserHomeDir()
	return home + rest, err
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
