package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is that of this program.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}

// day is that of the commit this program was built from, or "".
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

// version writes what this program was built from.
func (a *app) version(*cobra.Command, []string) error {
	if _, err := fmt.Fprintf(sink{a.stdout}, "fetch %s %s %s/%s\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH); err != nil {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	for _, m := range info.Deps {
		if _, err := fmt.Fprintf(sink{a.stdout}, "%s %s\n", m.Path, m.Version); err != nil {
			return err
		}
	}
	return nil
}
