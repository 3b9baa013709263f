package servers

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An Instance is a running server, with the addresses that a test needs.
type Instance struct {
	Name string

	Addr  string            // host:port of the first scheme
	Addrs map[string]string // host:port by scheme

	URL  string // scheme://host:port, no slash at the end
	Tree string // URL of the served tree, no slash at the end; empty for a proxy
	Root string // the same tree on this machine's disk, or the articles of a news server

	User, Password string // login of the server
	CAFile         string // PEM; signs every server's certificate
}

// Need returns the server of that name, if FETCH_REAL allows real servers:
//
//	unset       the test is skipped, and nothing is connected to
//	up          a server that is up is used; a test of another one is skipped
//	required    a server that is not up is a failure
//
// The message of a skipped or failed test has the command that starts the server.
func Need(t testing.TB, name string) Instance {
	t.Helper()
	missing := allowed(t, "server "+name)
	if err := Check(); err != nil {
		t.Fatal(err)
	}
	s, ok := Find(name)
	if !ok {
		t.Fatalf("there is no server %q", name)
	}
	in := s.instance(Dir())
	if err := in.answers(); err != nil {
		missing("%v; bring it up with: go run ./integration/real up %s", err, name)
	}
	return in
}

// allowed skips the test unless FETCH_REAL allows real servers and clients. It returns
// the function by which a test with a missing one skips or fails.
func allowed(t testing.TB, needs string) (missing func(format string, args ...any)) {
	t.Helper()
	switch v := os.Getenv("FETCH_REAL"); v {
	case "":
		t.Skipf("needs the real %s: see go doc ./integration/real, and set FETCH_REAL to up or required", needs)
	case "up":
		return t.Skipf
	case "required":
		return t.Fatalf
	default:
		t.Fatalf("FETCH_REAL is %q, neither up nor required", v)
	}
	return nil
}

func (s Server) instance(dir string) Instance {
	in := Instance{
		Name:     s.Name,
		Addr:     Addr(s.Name),
		Addrs:    make(map[string]string),
		URL:      URL(s.Name),
		Tree:     URL(s.Name) + s.Tree,
		Root:     Root(dir),
		User:     User,
		Password: Password,
		CAFile:   CAFile(dir),
	}
	if s.Proxy {
		in.Tree = ""
	}
	if s.News {
		in.Root = NewsRoot(dir)
	}
	for _, scheme := range s.Schemes {
		in.Addrs[scheme] = s.Addr(scheme)
	}
	return in
}

// answers asks both halves: that something listens, and that the files it
// serves can be read here, for a test compares the two.
func (in Instance) answers() error {
	for scheme, addr := range in.Addrs {
		if err := Answers(scheme, addr); err != nil {
			return fmt.Errorf("%s does not answer for %s: %v", in.Name, scheme, err)
		}
	}
	served := "hello.txt"
	if in.Root == NewsRoot(Dir()) {
		served = "newsgroups"
	}
	if _, err := os.Stat(filepath.Join(in.Root, served)); err != nil {
		return fmt.Errorf("%s answers, but its files are not here: %v", in.Name, err)
	}
	return nil
}

// Network returns the network of a scheme: "udp" for TFTP, and else "tcp".
func Network(scheme string) string {
	if scheme == "tftp" {
		return "udp"
	}
	return "tcp"
}

// Answers returns nil if a server answers at addr: by TCP it accepts a connection, and by UDP it
// answers a request for a missing file.
func Answers(scheme, addr string) error {
	network := Network(scheme)
	conn, err := net.DialTimeout(network, addr, time.Second)
	if err != nil || network == "tcp" {
		if err == nil {
			conn.Close()
		}
		return err
	}
	defer conn.Close()
	to := conn.RemoteAddr()
	// The answer comes from another port.
	socket, err := net.ListenPacket(network, net.JoinHostPort(conn.LocalAddr().(*net.UDPAddr).IP.String(), "0"))
	if err != nil {
		return err
	}
	defer socket.Close()
	if _, err := socket.WriteTo([]byte("\x00\x01no such file\x00octet\x00"), to); err != nil {
		return err
	}
	socket.SetReadDeadline(time.Now().Add(time.Second))
	_, _, err = socket.ReadFrom(make([]byte, 1<<10))
	return err
}
