package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// clients are the programs of others that our own servers are held against. They are
// unpacked like servers, and found by package servers.
var clients = map[string]recipe{
	"gopher": {
		packages: []string{"gopher", "libncurses6", "libtinfo6"},
		program:  "/usr/bin/gopher",
	},
	"bombadillo": {
		packages: []string{"bombadillo"},
		program:  "/usr/bin/bombadillo",
	},
	"lynx": {
		packages: []string{"lynx", "lynx-common", "libncursesw6", "libtinfo6", "libbsd0", "libmd0", "libidn2-0", "libunistring2"},
		program:  "/usr/bin/lynx",
		files:    []string{"/etc/lynx/lynx.cfg", "/etc/lynx/lynx.lss"},
	},
}

// provide makes a command in dir that runs the named client wherever it is.
func provide(dir, name string) error {
	r, ok := clients[name]
	if !ok {
		return fmt.Errorf("there is no recipe for the client %q", name)
	}
	root, libraries, err := locate(r)
	if err != nil {
		return err
	}
	script := "#!/bin/sh\n"
	if libraries != "" {
		script += "export LD_LIBRARY_PATH=" + libraries + "\n"
	}
	for _, file := range r.files { // lynx takes the places of its files from there
		variable := strings.ToUpper(strings.ReplaceAll(filepath.Base(file), ".", "_"))
		script += "export " + variable + "=" + filepath.Join(root, file) + "\n"
	}
	script += "exec " + filepath.Join(root, r.program) + " \"$@\"\n"
	to := servers.Client(dir, name)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return writeFile(to, []byte(script), 0o755)
}
