package file

import (
	"runtime"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// localName returns the system's own name for the path of a file URL.
func localName(path string) (string, error) {
	if runtime.GOOS == "windows" {
		return windowsName(path)
	}
	return path, nil
}

// windowsName turns /C:/dir/name into C:\dir\name. A name that would mean more
// to Windows than a path on a drive is refused: a server's share begins with
// two slashes, a stream follows a colon, and a backslash is another slash.
func windowsName(path string) (string, error) {
	drive, rest := "", path
	if len(path) >= 3 && path[2] == ':' && (len(path) == 3 || path[3] == '/') && isLetter(path[1]) {
		drive, rest = path[1:3], path[3:]
	}
	if rest == "" {
		rest = "/" // C: alone is wherever the program is on that drive
	}
	if strings.ContainsAny(rest, `\:`) || strings.HasPrefix(rest, "//") {
		return "", &url.Error{Pos: -1, Reason: "not the name of a file on a drive"}
	}
	return drive + strings.ReplaceAll(rest, "/", `\`), nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
