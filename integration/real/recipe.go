package main

import (
	"embed"
	"path/filepath"
	"strconv"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A recipe is how one server is started: everything of it that is not a matter
// of addresses. Strings are expanded like the configuration files.
type recipe struct {
	// packages are Debian's, the first one gives its name to the directory they
	// are unpacked in, and some are libraries that a small machine may lack.
	packages []string
	module   string   // a Go program of no package, with its version; the first of packages is its name
	program  string   // where the package puts it
	files    []string // further files that an installed program needs

	args      []string // how to run it in the foreground
	script    string   // of its folder, which prepares things and then becomes the program
	folder    string   // of its configuration, copied to OWN; if empty, that of its name
	dirs      []string // made below OWN
	owner     string   // the user of Debian's as whom it writes to OWN, if not root
	users     bool     // wants our users in /etc
	powerless bool     // would stay root, and serve files without read permission
	greeting  string   // how its first line begins, if it speaks first
	backend   string   // the server whose first port is BACKPORT
}

// words are the command that becomes the server, before they are expanded. They
// are the CMD of its Dockerfile too.
func (r recipe) words() []string {
	words := []string{"${UNPACKED}" + r.program}
	if r.script != "" {
		words = []string{"/bin/bash", "${OWN}/" + r.script, words[0]}
	}
	return append(words, r.args...)
}

// The folders of configuration. They are here rather than below package servers
// so that a test which imports that does not carry them.
//
//go:embed apache atftpd busybox caddy dante dictd dropbear gophernicus h2o haproxy hitch inn2 lighttpd linux-ftpd
//go:embed microsocks molly-brown nginx openssh privoxy proftpd pure-ftpd pyftpdlib pygopherd sn squid telnetd
//go:embed tftpd-hpa tinyproxy users varnish versitygw vsftpd yaz zebra
var configs embed.FS

// parameters are the names that a configuration file may use. UNPACKED is the
// root below which the server's package lies.
func parameters(dir, unpacked string, s servers.Server) map[string]string {
	p := map[string]string{
		"DIR":      dir,
		"OWN":      filepath.Join(dir, s.Name),
		"UNPACKED": unpacked,
		"BIND":     "127.0.0.1",
		"PORT":     strconv.Itoa(s.Port(s.Schemes[0])),
	}
	if name := recipes[s.Name].backend; name != "" {
		back, _ := servers.Find(name)
		p["BACKPORT"] = strconv.Itoa(back.Port(back.Schemes[0]))
	}
	for _, scheme := range s.Schemes[1:] {
		switch scheme {
		case "https", "nntps":
			p["TLSPORT"] = strconv.Itoa(s.Port(scheme))
		case "auth":
			p["AUTHPORT"] = strconv.Itoa(s.Port(scheme))
		}
	}
	if s.Passive {
		low, high := s.PassivePorts()
		p["LOW"], p["HIGH"] = strconv.Itoa(low), strconv.Itoa(high)
	}
	return p
}
