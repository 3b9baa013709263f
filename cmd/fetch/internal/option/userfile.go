package option

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

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
