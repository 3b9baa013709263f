package main

import (
	"embed"
	"strconv"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

// A recipe is how one server is started: everything of it that is not a matter
// of addresses. Strings are expanded like the configuration files.
type recipe struct {
	// packages are Debian's, the first one has the program and the others are
	// libraries that a small machine may lack.
	packages []string
	program  string   // where the package puts it
	args     []string // how to run it in the foreground
	folders  []string // copied from the folders of this directory to DIR
	dirs     []string // made below DIR
	users    bool     // wants our users in /etc
	greeting string   // how its first line begins, if it speaks first
}

var recipes = map[string]recipe{
	"nginx": {
		packages: []string{"nginx"},
		program:  "/usr/sbin/nginx",
		args:     []string{"-p", "${DIR}/nginx", "-e", "${DIR}/nginx/error.log", "-c", "${DIR}/nginx/nginx.conf"},
		folders:  []string{"nginx"},
	},
	"vsftpd": {
		packages: []string{"vsftpd", "libwrap0", "libnsl2", "libtirpc3",
			"libgssapi-krb5-2", "libkrb5-3", "libk5crypto3", "libkrb5support0", "libkeyutils1"},
		program: "/usr/sbin/vsftpd",
		args:    []string{"${DIR}/vsftpd/vsftpd.conf"},
		folders: []string{"vsftpd", "users"},
		// Without this one it starts, and greets with "500 OOPS".
		dirs:     []string{"vsftpd/empty"},
		users:    true,
		greeting: "220 ",
	},
}

// The folders of configuration. They are here rather than below package servers
// so that a test which imports that does not carry them.
//
//go:embed nginx vsftpd users
var configs embed.FS

// parameters are the names that a configuration file may use.
func parameters(dir string, s servers.Server) map[string]string {
	p := map[string]string{
		"DIR":     dir,
		"BIND":    "127.0.0.1",
		"PORT":    strconv.Itoa(s.Port(s.Schemes[0])),
		"FTPPORT": servers.Addr("vsftpd")[len("127.0.0.1:"):],
	}
	for _, scheme := range s.Schemes[1:] {
		if scheme == "https" || scheme == "ftps" {
			p["TLSPORT"] = strconv.Itoa(s.Port(scheme))
		}
	}
	if s.Passive {
		low, high := s.PassivePorts()
		p["LOW"], p["HIGH"] = strconv.Itoa(low), strconv.Itoa(high)
	}
	return p
}
