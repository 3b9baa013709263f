// Package servers has the addresses, the logins and the content of the real servers of the test
// set. It starts no server: that is the command in the directory above,
//
//	go run ./integration/real up
//
// A test that talks to one of them begins with [Need], which skips it unless FETCH_REAL
// is set:
//
//	vsftpd := servers.Need(t, "vsftpd")
//	resp, err := fetch(vsftpd.Tree + "/hello.txt")
//
// Every address comes from the table in this file, whether the server was
// started natively or in a container.
package servers

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// User and Password are the login of all servers with logins. The password has characters that a
// URL must escape.
const (
	User     = "fetch"
	Password = "s3cret@:/"
)

// A Server is one real server. It has a row of ports of its own.
type Server struct {
	Name string

	// Schemes are the schemes of the server, with one port each. [Addr] and [URL] use the first.
	// "auth" is the first one again, with a login.
	Schemes []string

	// Tree is the path of the served tree below the root, "" or "/pub".
	Tree string

	// Proxy means that the server has no tree, and is a proxy to servers that have it.
	Proxy bool

	// News means that the server has the articles of [NewsRoot] in place of the tree.
	News bool

	// Passive means that the server has further ports for the data connections of FTP.
	Passive bool

	row int
}

// The table. A row is never given to another server, so that a port means the
// same server for good.
var table = []Server{
	{Name: "nginx", row: 0, Schemes: []string{"http", "https"}, Tree: "/pub"},
	{Name: "vsftpd", row: 1, Schemes: []string{"ftp"}, Passive: true},
	{Name: "apache", row: 2, Schemes: []string{"http", "https"}, Tree: "/pub"},
	{Name: "caddy", row: 3, Schemes: []string{"http", "https"}, Tree: "/pub"},
	{Name: "squid", row: 4, Schemes: []string{"http", "auth"}, Proxy: true},
	{Name: "dante", row: 5, Schemes: []string{"socks5", "auth"}, Proxy: true},
	{Name: "proftpd", row: 6, Schemes: []string{"ftp"}, Passive: true},
	{Name: "pure-ftpd", row: 7, Schemes: []string{"ftp"}, Passive: true},
	{Name: "pyftpdlib", row: 8, Schemes: []string{"ftp"}, Passive: true},
	// vsftpd once more, with TLS from the first byte.
	{Name: "vsftpd-ftps", row: 9, Schemes: []string{"ftps"}, Passive: true},
	{Name: "pygopherd", row: 10, Schemes: []string{"gopher"}, Tree: "/9"},
	{Name: "gophernicus", row: 11, Schemes: []string{"gopher"}, Tree: "/9"},
	// INN's reader: in clear, in TLS from the first byte, and with a login.
	{Name: "inn2", row: 12, Schemes: []string{"nntp", "nntps", "auth"}, News: true},
	{Name: "sn", row: 13, Schemes: []string{"nntp"}, News: true},
	// That of GNU inetutils, with login.
	{Name: "telnetd", row: 16, Schemes: []string{"telnet"}},
	{Name: "lighttpd", row: 17, Schemes: []string{"http", "https"}, Tree: "/pub"},
	{Name: "h2o", row: 18, Schemes: []string{"http", "https"}, Tree: "/pub"},
	// HAProxy and Varnish are before nginx, Hitch is before Varnish.
	{Name: "haproxy", row: 19, Schemes: []string{"http", "https"}, Tree: "/pub"},
	{Name: "varnish", row: 20, Schemes: []string{"http"}, Tree: "/pub"},
	{Name: "hitch", row: 21, Schemes: []string{"https"}, Tree: "/pub"},
	{Name: "busybox", row: 22, Schemes: []string{"http"}, Tree: "/pub"},
	{Name: "tinyproxy", row: 23, Schemes: []string{"http", "auth"}, Proxy: true},
	{Name: "privoxy", row: 24, Schemes: []string{"http"}, Proxy: true},
	{Name: "microsocks", row: 25, Schemes: []string{"socks5", "auth"}, Proxy: true},
	// That of Linux NetKit, for one connection.
	{Name: "linux-ftpd", row: 26, Schemes: []string{"ftp"}},
	{Name: "dictd", row: 32, Schemes: []string{"dict"}},
	{Name: "tftpd-hpa", row: 33, Schemes: []string{"tftp"}},
	{Name: "atftpd", row: 28, Schemes: []string{"tftp"}},
	{Name: "molly-brown", row: 27, Schemes: []string{"gemini"}, Tree: "/pub"},
	// The bucket is the directory pub.
	{Name: "versitygw", row: 29, Schemes: []string{"s3"}},
	// Index Data's test server, whose records are its own, and its search engine, with records of
	// integration/real/zebra: without and with a login.
	{Name: "yaz", row: 34, Schemes: []string{"z39.50s"}},
	{Name: "zebra", row: 35, Schemes: []string{"z39.50s", "auth"}},
	// The tree is the home directory of the user.
	{Name: "openssh", row: 30, Schemes: []string{"sftp"}, Tree: "/~"},
	{Name: "dropbear", row: 31, Schemes: []string{"sftp"}, Tree: "/~"},
}

const (
	// Base is the first port, unless FETCH_REAL_BASE names another one. All
	// of them are below 32768, where Linux begins to hand out ports by itself.
	Base = 21000

	perServer = 200 // ports in a row
	passive   = 100 // from here on they are for data connections
	highest   = 32767
)

// All returns the servers, in the order of the table.
func All() []Server { return append([]Server(nil), table...) }

// Find returns the server of that name.
func Find(name string) (Server, bool) {
	for _, s := range table {
		if s.Name == name {
			return s, true
		}
	}
	return Server{}, false
}

// Check returns an error if FETCH_REAL_BASE is invalid.
func Check() error {
	_, err := base()
	return err
}

func base() (int, error) {
	v := os.Getenv("FETCH_REAL_BASE")
	if v == "" {
		return Base, nil
	}
	rows := 0
	for _, s := range table {
		rows = max(rows, s.row+1)
	}
	top := highest + 1 - perServer*rows
	n, err := strconv.Atoi(v)
	if err != nil || n < 1024 || n > top {
		return 0, fmt.Errorf("FETCH_REAL_BASE is %q, not a port from 1024 to %d", v, top)
	}
	return n, nil
}

// Port returns the port on which s speaks scheme. It panics if s does not serve that scheme, or if
// [Check] returns an error.
func (s Server) Port(scheme string) int {
	b, err := base()
	if err != nil {
		panic(err)
	}
	for i, have := range s.Schemes {
		if have == scheme {
			return b + s.row*perServer + i
		}
	}
	panic("servers: " + s.Name + " does not speak " + scheme)
}

// PassivePorts returns the first and the last port of s for data connections.
func (s Server) PassivePorts() (low, high int) {
	first := s.Port(s.Schemes[0])
	return first + passive, first + perServer - 1
}

// Addr returns host:port of s for scheme.
func (s Server) Addr(scheme string) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port(scheme)))
}

// Addr returns host:port where the server of that name is found, up or not.
// It panics if there is no such server.
func Addr(name string) string {
	s := must(name)
	return s.Addr(s.Schemes[0])
}

// URL returns scheme://host:port of the server of that name, without a slash
// at the end. It panics if there is no such server.
func URL(name string) string {
	s := must(name)
	return s.Schemes[0] + "://" + Addr(name)
}

func must(name string) Server {
	s, ok := Find(name)
	if !ok {
		panic("servers: there is no server " + strconv.Quote(name))
	}
	return s
}

// Dir returns the directory where the servers keep their state: FETCH_REAL_DIR
// or a fixed one for each user below the directory for temporary files.
func Dir() string {
	if dir := os.Getenv("FETCH_REAL_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("fetch-real-%d", os.Getuid()))
}

// Root returns the root of the served files for a state directory.
func Root(dir string) string { return filepath.Join(dir, "data", "pub") }

// NewsRoot returns the directory with the articles that news servers have, one
// directory a newsgroup, for a state directory.
func NewsRoot(dir string) string { return filepath.Join(dir, "data", "news") }

// KeyDir returns the directory with user_key and user_key.pub, by which our user logs in over SSH,
// for a state directory.
func KeyDir(dir string) string { return filepath.Join(dir, "ssh") }

// CAFile returns the file with the certificate of the authority that vouches
// for every server's certificate, in PEM, for a state directory.
func CAFile(dir string) string { return filepath.Join(dir, "tls", "ca.crt") }
