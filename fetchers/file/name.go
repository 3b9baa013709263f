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

// windowsName turns /C:/dir/name into C:\dir\name, and /C|/dir/name too (RFC 8089,
// appendix E.2.2). A name that would mean more to Windows than a path on a drive is
// refused: a server's share begins with two slashes, a stream follows a colon, and a
// backslash is another slash. So is one that would mean something else: a device,
// which merely to open can have an effect, or, with dots and spaces at its end, the
// name without them.
func windowsName(path string) (string, error) {
	drive, rest := "", path
	if len(path) >= 3 && (path[2] == ':' || path[2] == '|') && (len(path) == 3 || path[3] == '/') && isLetter(path[1]) {
		drive, rest = path[1:2]+":", path[3:]
	}
	if rest == "" {
		rest = "/" // C: alone is wherever the program is on that drive
	}
	if strings.ContainsAny(rest, `\:`) || strings.HasPrefix(rest, "//") {
		return "", &url.Error{Pos: -1, Reason: "not the name of a file on a drive"}
	}
	for element := range strings.SplitSeq(rest, "/") {
		if url.WindowsDevice(element) || strings.TrimRight(element, ". ") != element {
			return "", &url.Error{Pos: -1, Reason: "not the name of a file on a drive"}
		}
	}
	return drive + strings.ReplaceAll(rest, "/", `\`), nil
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
