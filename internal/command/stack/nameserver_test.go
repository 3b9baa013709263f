package stack

import (
	"errors"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// A nameServer is a name server that knows one name, which is 127.0.0.1.
type nameServer struct {
	name string
	code dnsmessage.RCode // for all other names

	mu    sync.Mutex
	asked []string
}

// serve answers questions by UDP until the test ends, and returns the address.
func (s *nameServer) serve(t *testing.T) string {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { conn.Close(); all.Wait() })
	all.Go(func() {
		question := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(question)
			if err != nil {
				return
			}
			if answer := s.answer(question[:n]); answer != nil {
				conn.WriteTo(answer, from)
			}
		}
	})
	return conn.LocalAddr().String()
}

func (s *nameServer) answer(question []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	name := strings.TrimSuffix(q.Name.String(), ".")
	s.mu.Lock()
	s.asked = append(s.asked, name)
	s.mu.Unlock()
	m.Response, m.Additionals = true, nil
	switch {
	case name != s.name:
		m.RCode = s.code
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Class: dnsmessage.ClassINET, TTL: 1},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	answer, err := m.Pack()
	if err != nil {
		return nil
	}
	return answer
}

// questions returns the names that s was asked for, each once.
func (s *nameServer) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.asked)
	return slices.Compact(s.asked)
}

// The name servers of the flag are asked one after another for the address of a server, also where
// a SOCKS5 proxy is to connect to that.
func TestNameServers(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(nethttp.ResponseWriter, *nethttp.Request) {}))
	t.Cleanup(server.Close)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	known := &nameServer{name: "h.example", code: dnsmessage.RCodeNameError}
	broken := &nameServer{code: dnsmessage.RCodeServerFailure}
	other := &nameServer{code: dnsmessage.RCodeNameError}
	to, failing, unknowing := known.serve(t), broken.serve(t), other.serve(t)
	for _, c := range []struct {
		servers, host string
		status        int
	}{
		{to, "h.example", 0},
		{"127.0.0.1:1," + to, "h.example", 0},
		{failing + "," + to, "h.example", 0},
		{to + "," + failing, "other.example", record.ExitResolve},
		{unknowing + "," + to, "h.example", record.ExitResolve}, // it is certain that there is no such name
		{failing, "h.example", record.ExitResolve},
	} {
		_, err := body(t, "http://"+c.host+":"+port+"/", "--dns-servers", c.servers)
		if _, status := record.Classify(err); status != c.status {
			t.Errorf("%s of %s: status %d, %v; want %d", c.host, c.servers, status, err, c.status)
		}
	}
	if got := known.questions(); !slices.Contains(got, "h.example") {
		t.Errorf("the name server is asked for %q", got)
	}
	_, err := body(t, "http://h.example:"+port+"/", "--dns-servers", to, "--public-only")
	if !errors.Is(err, fetchers.ErrBlocked) {
		t.Errorf("with --public-only: %v", err)
	}
	_, err = body(t, "http://h.example:"+port+"/", "--dns-servers", to, "-x", "socks5://"+socksTo(t, "127.0.0.1:"+port))
	if err != nil {
		t.Errorf("by a SOCKS5 proxy: %v", err)
	}
}

// socksTo starts a SOCKS5 proxy that connects to one address only, and returns its own.
func socksTo(t *testing.T, addr string) string {
	t.Helper()
	want := netip.MustParseAddrPort(addr)
	octets := want.Addr().As4()
	request := string([]byte{5, 1, 0, 5, 1, 0, 1, octets[0], octets[1], octets[2], octets[3], byte(want.Port() >> 8), byte(want.Port())})
	return accept(t, func(c net.Conn) {
		var seen []byte
		octet := make([]byte, 1)
		for len(seen) < len(request) {
			if _, err := c.Read(octet); err != nil {
				return
			}
			if seen = append(seen, octet...); len(seen) == 3 {
				c.Write([]byte{5, 0})
			}
		}
		if string(seen) != request {
			t.Errorf("the proxy is asked %x, want %x", seen, request)
			return
		}
		c.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
		to, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer to.Close()
		go func() { io.Copy(struct{ io.Writer }{to}, c); to.Close() }()
		io.Copy(struct{ io.Writer }{c}, to)
	})
}

// accept calls serve with each connection until the test ends, and returns the address.
func accept(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer c.Close(); serve(c) })
		}
	})
	return l.Addr().String()
}

// A name server that is silent is asked for some seconds only, so that another one has its turn.
func TestSilentNameServer(t *testing.T) {
	server := netip.MustParseAddrPort((&nameServer{name: "h.example"}).serve(t))
	for about, c := range map[string]struct {
		until time.Time
		want  bool
	}{
		"in time": {time.Now().Add(time.Minute), true},
		"later":   {time.Now().Add(-time.Minute), false},
	} {
		found, err := resolver(server, c.until).LookupHost(t.Context(), "h.example")
		if (err == nil) != c.want {
			t.Errorf("%s: %q, %v", about, found, err)
		}
	}
}

// A name server has to be an address: a name would need a name server.
func TestNameServersThatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"192.0.2.1":                  "[192.0.2.1:53]",
		"192.0.2.1:5353,2001:db8::1": "[192.0.2.1:5353 [2001:db8::1]:53]",
		"[2001:db8::1]:54,[::1]":     "[[2001:db8::1]:54 [::1]:53]",
		"localhost":                  "",
		"192.0.2.1:0":                "",
		"192.0.2.1,":                 "",
		"192.0.2.1 192.0.2.2":        "",
		"tls://192.0.2.1":            "",
	} {
		got, err := parseNameServers(text)
		if want == "" != (err != nil) || err == nil && fmt.Sprint(got) != want {
			t.Errorf("%q: %v, %v; want %s", text, got, err, want)
		}
	}
}
