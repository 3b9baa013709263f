package file

import (
	"runtime"
	"strings"

	"github.com/seed1ea3422f/fetch/url"
)

// localName returns the local name for the path of a file URL.
func localName(path string) (string, error) {
	if runtime.GOOS == "windows" {
		return windowsName(path)
	}
	return path, nil
}

// windowsName converts /C:/dir/name to C:\dir\name, and also /C|/dir/name (RFC 8089, appendix
// E.2.2). It refuses a name that is not a plain path on a drive for Windows: two leading slashes
// are a share, a colon begins a stream, and a backslash is a separator. It also refuses a name that
// means another file: a device, which merely to open can have an effect, or a name with dots and
// spaces at its end, which Windows removes.
func windowsName(path string) (string, error) {
	drive, rest := "", path
	if len(path) >= 3 && (path[2] == ':' || path[2] == '|') && (len(path) == 3 || path[3] == '/') && isLetter(path[1]) {
		drive, rest = path[1:2]+":", path[3:]
	}
	if rest == "" {
		rest = "/" // C: alone is the current directory of that drive
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
