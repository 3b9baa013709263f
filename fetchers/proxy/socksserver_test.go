package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A relay is a proxy of a test. It resolves names that no other resolver has.
type relay struct {
	addr           string
	user, password string // credentials; if user is "", all clients are accepted
	reply          byte   // reply to every request, if not 0

	mu   sync.Mutex
	seen []string // "socks5 name:port" or "CONNECT …", and " as user:password"
}

// hidden is a host name that only relays resolve, to 127.0.0.1.
const hidden = "hidden.example.test"

func (r *relay) saw(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen = append(r.seen, fmt.Sprintf(format, args...))
}

// requests returns the requests so far.
func (r *relay) requests() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.seen...)
}

// dial connects to a target, whose name is resolved here.
func (r *relay) dial(to string) (net.Conn, error) {
	return net.Dial("tcp", strings.Replace(to, hidden, "127.0.0.1", 1))
}

// listen serves connections on a loopback port until the test ends, and then waits for the last of
// them.
func listen(t *testing.T, serve func(net.Conn)) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				stop := make(chan struct{})
				defer close(stop)
				all.Go(func() {
					select {
					case <-t.Context().Done():
						c.Close()
					case <-stop:
					}
				})
				serve(c)
			})
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
	return l.Addr().String()
}

// newSOCKS starts a SOCKS server of versions 4, 4A and 5.
func newSOCKS(t *testing.T, user, password string) *relay {
	r := &relay{user: user, password: password}
	r.addr = listen(t, r.serveSOCKS)
	return r
}

func (r *relay) serveSOCKS(c net.Conn) {
	in := bufio.NewReader(c)
	version, _ := in.ReadByte()
	switch version {
	case 4:
		r.serve4(c, in)
	case 5:
		r.serve5(c, in)
	}
}

func (r *relay) serve4(c net.Conn, in *bufio.Reader) {
	var head [7]byte
	io.ReadFull(in, head[:])
	user, _ := in.ReadString(0)
	user = strings.TrimSuffix(user, "\x00")
	ip := netip.AddrFrom4([4]byte(head[3:]))
	host, kind := ip.String(), "socks4"
	if head[3]|head[4]|head[5] == 0 {
		host, _ = in.ReadString(0)
		host, kind = strings.TrimSuffix(host, "\x00"), "socks4a"
	}
	to := net.JoinHostPort(host, strconv.Itoa(int(head[1])<<8|int(head[2])))
	r.saw("%s %s%s", kind, to, as(user))
	code := r.reply
	if r.user != user {
		code = 93
	}
	var target net.Conn
	if code == 0 {
		var err error
		if target, err = r.dial(to); err != nil {
			code = 91
		} else {
			code = 90
		}
	}
	c.Write([]byte{0, code, 1, 2, 3, 4, 5, 6})
	join(c, in, target)
}

func (r *relay) serve5(c net.Conn, in *bufio.Reader) {
	n, _ := in.ReadByte()
	methods := make([]byte, n)
	io.ReadFull(in, methods)
	who := ""
	switch {
	case r.user == "":
		c.Write([]byte{5, 0})
	case !strings.Contains(string(methods), "\x02"):
		c.Write([]byte{5, 0xFF})
		return
	default:
		c.Write([]byte{5, 2})
		in.ReadByte()
		user, password := readString(in), readString(in)
		who = as(user + ":" + password)
		if user != r.user || password != r.password {
			r.saw("socks5 login%s", who)
			c.Write([]byte{1, 1})
			return
		}
		c.Write([]byte{1, 0})
	}
	var head [4]byte
	io.ReadFull(in, head[:])
	host := ""
	switch head[3] {
	case 1:
		ip := make(net.IP, 4)
		io.ReadFull(in, ip)
		host = ip.String()
	case 3:
		host = "name " + readString(in)
	case 4:
		ip := make(net.IP, 16)
		io.ReadFull(in, ip)
		host = "[" + ip.String() + "]"
	}
	var port [2]byte
	io.ReadFull(in, port[:])
	to := host + ":" + strconv.Itoa(int(port[0])<<8|int(port[1]))
	r.saw("socks5 %s%s", to, who)
	code := r.reply
	var target net.Conn
	if code == 0 {
		var err error
		if target, err = r.dial(strings.TrimPrefix(to, "name ")); err != nil {
			code = 5
		}
	}
	// The bound address is a name, the rarest and longest form.
	c.Write(append([]byte{5, code, 0, 3, 5}, "bound\x04\x38"...))
	join(c, in, target)
}

func readString(in *bufio.Reader) string {
	n, _ := in.ReadByte()
	s := make([]byte, n)
	io.ReadFull(in, s)
	return string(s)
}

func as(who string) string {
	if who == "" {
		return ""
	}
	return " as " + who
}

// join copies in both directions until either side ends.
func join(c net.Conn, in io.Reader, target net.Conn) {
	if target == nil {
		return
	}
	var copying sync.WaitGroup
	copying.Go(func() { io.Copy(target, in); target.(*net.TCPConn).CloseWrite() })
	io.Copy(c, target)
	c.Close()
	copying.Wait()
	target.Close()
}
