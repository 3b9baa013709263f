package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// version returns the version of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// day returns the date of the commit that this program was built from, or "".
func day() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.time" {
				day, _, _ := strings.Cut(s.Value, "T")
				return day
			}
		}
	}
	return ""
}

// versions writes the versions of this program, of Go, and of its modules.
func versions(s *term.Streams) error {
	text := fmt.Sprintf("fetch %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			text += fmt.Sprintf("%s %s\n", m.Path, m.Version)
		}
	}
	_, err := io.WriteString(s.Sink(), text)
	return err
}
