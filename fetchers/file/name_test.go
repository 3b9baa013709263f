package file

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/url"
)

func TestWindowsName(t *testing.T) {
	for path, want := range map[string]string{
		"/C:/dir/a name.txt": `C:\dir\a name.txt`,
		"/c:/":               `c:\`,
		"/C:":                `C:\`,
		"/C|/dir/name":       `C:\dir\name`,
		"/dir/name":          `\dir\name`,
		"/":                  `\`,
		"/C:/dir/":           `C:\dir\`,

		"//server/share/x":    "", // another machine
		"/C://server/share":   "",
		"/C:/x:stream":        "",
		"/C:x":                "", // relative to the current directory of C:
		`/C:/..\x`:            "",
		"/CC:/x":              "",
		"/1:/x":               "",
		`/\\server\share\x`:   "",
		"//?/C:/x":            "",
		"/C:/dir/C:/x":        "",
		"///C:/three/slashes": "",
		"/C:/dir/NUL":         "", // a device
		"/C:/con.txt":         "",
		"/aux/x":              "",
		"/C:/COM\u00B9":       "",
		"/C:/CONSOLE":         `C:\CONSOLE`,
		"/C:/name.":           "", // Windows removes the dot
		"/C:/dir ./x":         "",
		"/C:/dir/../x":        "",
	} {
		got, err := windowsName(path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("windowsName(%q) = %q, %v, want %q", path, got, err, want)
		}
		var malformed *url.Error
		if err != nil && !errors.As(err, &malformed) {
			t.Errorf("windowsName(%q): error is a %T, want a *url.Error", path, err)
		}
	}
}
