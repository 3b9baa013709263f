package fault_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/integration/fault"
)

var content = func() []byte {
	b := make([]byte, 200_000)
	rand.NewChaCha8([32]byte{1}).Read(b)
	return b
}()

// serve starts a server that sends content after the first byte of a client, and closes its side.
// came has the further bytes of the client and their end.
func serve(t *testing.T) (addr string, came <-chan outcome) {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	outcomes := make(chan outcome, 10)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				first := make([]byte, 1)
				n, err := c.Read(first)
				if n > 0 {
					c.Write(content)
					c.(*net.TCPConn).CloseWrite()
				}
				var rest []byte
				if err == nil {
					rest, err = io.ReadAll(c)
				}
				outcomes <- outcome{append(first[:n], rest...), err}
			}()
		}
	}()
	return listener.Addr().String(), outcomes
}

type outcome struct {
	octets []byte
	err    error
}

func dial(t *testing.T, addr string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(10 * time.Second))
	return c.(*net.TCPConn)
}

func TestStreams(t *testing.T) {
	flipped := bytes.Clone(content)
	flipped[70_000] ^= 1
	for name, test := range map[string]struct {
		opts []fault.Option
		want []byte
		err  error
		past time.Duration
	}{
		"nothing":          {nil, content, nil, 0},
		"cut":              {[]fault.Option{fault.Faults(fault.Fault{After: 70_000})}, content[:70_000], nil, 0},
		"cut at once":      {[]fault.Option{fault.Faults(fault.Fault{})}, nil, nil, 0},
		"cut at the end":   {[]fault.Option{fault.Faults(fault.Fault{After: 200_000})}, content, nil, 0},
		"cut after it":     {[]fault.Option{fault.Faults(fault.Fault{After: 200_001})}, content, nil, 0},
		"reset":            {[]fault.Option{fault.Faults(fault.Fault{After: 1000, Do: fault.Reset})}, content[:1000], syscall.ECONNRESET, 0},
		"flip":             {[]fault.Option{fault.Faults(fault.Fault{After: 70_000, Do: fault.Flip})}, flipped, nil, 0},
		"one octet a time": {[]fault.Option{fault.Drip(1, 0)}, content, nil, 0},
		"delay":            {[]fault.Option{fault.Delay(200 * time.Millisecond)}, content, nil, 200 * time.Millisecond},
		"rate":             {[]fault.Option{fault.Rate(1_000_000)}, content, nil, 190 * time.Millisecond},
		"drip":             {[]fault.Option{fault.Drip(50_000, 50*time.Millisecond)}, content, nil, 200 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			addr, _ := serve(t)
			proxy := fault.NewProxy(addr, test.opts...)
			defer proxy.Close()
			began := time.Now()
			c := dial(t, proxy.Addr)
			c.Write([]byte("?"))
			got, err := io.ReadAll(c)
			if !bytes.Equal(got, test.want) || !errors.Is(err, test.err) {
				t.Errorf("%d octets (the right ones: %v), error %v", len(got), bytes.Equal(got, test.want), err)
			}
			if past := time.Since(began); past < test.past {
				t.Errorf("it took %v", past)
			}
			if proxy.Connections() != 1 {
				t.Errorf("%d connections", proxy.Connections())
			}
		})
	}
}

// TestStall: nothing more comes, and nothing ends, until the client leaves.
func TestStall(t *testing.T) {
	addr, came := serve(t)
	proxy := fault.NewProxy(addr, fault.Faults(fault.Fault{After: 1000, Do: fault.Stall}))
	defer proxy.Close()
	c := dial(t, proxy.Addr)
	c.Write([]byte("?"))
	if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n > 0 || !errors.Is(err, errTimeout(err)) {
		t.Errorf("%d octets, error %v", n, err)
	}
	c.Close()
	if o := <-came; string(o.octets) != "?" {
		t.Errorf("the server got %q", o.octets)
	}
}

// errTimeout is err if that is a timeout.
func errTimeout(err error) error {
	var n net.Error
	if errors.As(err, &n) && n.Timeout() {
		return err
	}
	return errors.New("no timeout")
}

// A fault can strike the bytes of the client as well.
func TestUpstream(t *testing.T) {
	for name, test := range map[string]struct {
		fault fault.Fault
		want  string
		err   error
	}{
		"cut":   {fault.Fault{After: 3}, "?ab", nil},
		"reset": {fault.Fault{After: 3, Do: fault.Reset}, "?ab", syscall.ECONNRESET},
		"flip":  {fault.Fault{After: 3, Do: fault.Flip}, "?abbdef", nil},
		"stall": {fault.Fault{After: 3, Do: fault.Stall}, "?ab", nil}, // until the client leaves
	} {
		t.Run(name, func(t *testing.T) {
			addr, came := serve(t)
			test.fault.Upstream = true
			proxy := fault.NewProxy(addr, fault.Faults(test.fault))
			defer proxy.Close()
			c := dial(t, proxy.Addr)
			io.WriteString(c, "?")
			io.ReadFull(c, make([]byte, len(content)))
			io.WriteString(c, "abcdef")
			c.CloseWrite()
			io.Copy(io.Discard, c)
			c.Close()
			o := <-came
			if test.err == nil && string(o.octets) != test.want || !errors.Is(o.err, test.err) {
				t.Errorf("the server got %q, error %v", o.octets, o.err)
			}
		})
	}
}

// TestOnce: each fault with Once strikes one connection.
func TestOnce(t *testing.T) {
	addr, _ := serve(t)
	proxy := fault.NewProxy(addr, fault.Faults(
		fault.Fault{After: 10, Once: true}, fault.Fault{After: 20, Once: true}))
	defer proxy.Close()
	for _, want := range []int{10, 20, len(content), len(content)} {
		c := dial(t, proxy.Addr)
		c.Write([]byte("?"))
		if got, err := io.ReadAll(c); len(got) != want || err != nil {
			t.Errorf("%d octets, want %d, error %v", len(got), want, err)
		}
	}
}

// The seed decides which bytes are corrupted. The sizes of writes do not.
func TestCorrupt(t *testing.T) {
	addr, _ := serve(t)
	get := func(opts ...fault.Option) []byte {
		proxy := fault.NewProxy(addr, append(opts, fault.Corrupt(0.001))...)
		defer proxy.Close()
		c := dial(t, proxy.Addr)
		c.Write([]byte("?"))
		got, err := io.ReadAll(c)
		if err != nil || len(got) != len(content) {
			t.Fatalf("%d octets, error %v", len(got), err)
		}
		return got
	}
	first := get(fault.Seed(1))
	wrong := 0
	for i := range first {
		if first[i] != content[i] {
			wrong++
		}
	}
	if wrong < 100 || wrong > 400 {
		t.Errorf("%d octets of %d are wrong", wrong, len(content))
	}
	if !bytes.Equal(first, get(fault.Seed(1), fault.Drip(777, 0))) {
		t.Error("the same seed corrupts other octets")
	}
	if bytes.Equal(first, get(fault.Seed(2))) {
		t.Error("another seed corrupts the same octets")
	}
}

// NoNotify drops the last record of the server, which is an alert, and nothing before it.
func TestNoNotify(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write(content)
	}))
	defer server.Close()
	for _, drop := range []bool{false, true} {
		opts := []fault.Option{fault.Drip(1000, 0)}
		if drop {
			opts = append(opts, fault.Faults(fault.Fault{Do: fault.NoNotify}))
		}
		proxy := fault.NewProxy(server.URL, opts...)
		defer proxy.Close()
		wire := &recorder{Conn: dial(t, proxy.Addr)}
		c := tls.Client(wire, &tls.Config{InsecureSkipVerify: true})
		io.WriteString(c, "GET / HTTP/1.0\r\n\r\n")
		got, err := io.ReadAll(c)
		if !bytes.HasSuffix(got, content) || err != nil {
			t.Errorf("dropped: %v: %d octets, error %v", drop, len(got), err)
		}
		const alert = "\x17\x03\x03\x00\x13" // in TLS 1.3
		if last := wire.came[len(wire.came)-24:]; drop == bytes.HasPrefix(last, []byte(alert)) {
			t.Errorf("dropped: %v: the last octets are %x", drop, last)
		}
	}
}

// A recorder keeps the bytes that are written to it.
type recorder struct {
	net.Conn
	came []byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.came = append(r.came, p[:n]...)
	return n, err
}

// TestRefusedTargetIsAReset: a target that does not answer is a reset, and not an empty answer.
func TestRefusedTargetIsAReset(t *testing.T) {
	addr, _ := serve(t)
	host, _, _ := net.SplitHostPort(addr)
	unused, err := net.Listen("tcp4", host+":0")
	if err != nil {
		t.Fatal(err)
	}
	unused.Close()
	proxy := fault.NewProxy(unused.Addr().String())
	defer proxy.Close()
	c, err := net.Dial("tcp", proxy.Addr)
	if err == nil { // otherwise the reset arrived during Dial
		defer c.Close()
		_, err = c.Read(make([]byte, 1))
	}
	if !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("error %v", err)
	}
}

// Close ends open connections. It may be called twice.
func TestClose(t *testing.T) {
	addr, _ := serve(t)
	proxy := fault.NewProxy(addr, fault.Faults(fault.Fault{After: 10, Do: fault.Stall}))
	c := dial(t, proxy.Addr)
	c.Write([]byte("?"))
	io.ReadFull(c, make([]byte, 10))
	proxy.Close()
	proxy.Close()
	if _, err := c.Read(make([]byte, 1)); err == nil || errors.Is(err, errTimeout(err)) {
		t.Errorf("error %v", err)
	}
}

// echo starts a server of datagrams that sends each one back.
func echo(t *testing.T) string {
	t.Helper()
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { socket.Close() })
	go func() {
		p := make([]byte, 65535)
		for {
			n, from, err := socket.ReadFrom(p)
			if err != nil {
				return
			}
			socket.WriteTo(p[:n], from)
		}
	}()
	return socket.LocalAddr().String()
}

// TestDatagrams sends a hundred datagrams in turn and checks those that come back.
func TestDatagrams(t *testing.T) {
	for name, test := range map[string]struct {
		opts     []fault.Option
		min, max int  // of how many come
		inOrder  bool // and in which order
	}{
		"nothing":   {nil, 100, 100, true},
		"lose":      {[]fault.Option{fault.Lose(0.3)}, 20, 80, true},
		"lose all":  {[]fault.Option{fault.Lose(1)}, 0, 0, true},
		"duplicate": {[]fault.Option{fault.Duplicate(0.5)}, 150, 300, true},
		"reorder":   {[]fault.Option{fault.Reorder(0.3)}, 100, 100, false},
	} {
		t.Run(name, func(t *testing.T) {
			trial := func(seed uint64) (came []string) {
				proxy := fault.NewProxy("test://"+echo(t), append(test.opts, fault.UDP(), fault.Seed(seed))...)
				defer proxy.Close()
				c, err := net.Dial("udp", strings.TrimPrefix(proxy.URL, "test://"))
				if err != nil {
					t.Fatal(err)
				}
				defer c.Close()
				for i := range 100 {
					fmt.Fprintf(c, "%03d", i)
				}
				p := make([]byte, 100)
				for {
					c.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
					n, err := c.Read(p)
					if err != nil {
						return came
					}
					came = append(came, string(p[:n]))
				}
			}
			came := trial(1)
			sorted := true
			for i := range came[min(1, len(came)):] {
				sorted = sorted && came[i] <= came[i+1]
			}
			if len(came) < test.min || len(came) > test.max || sorted != test.inOrder {
				t.Errorf("%d came, in order: %v: %v", len(came), sorted, came)
			}
			if again := trial(1); test.inOrder && fmt.Sprint(again) != fmt.Sprint(came) {
				t.Errorf("the same seed: %d and %d came", len(came), len(again))
			}
		})
	}
}

func TestTargets(t *testing.T) {
	proxy := fault.NewProxy("ftp://me:p%40ss@127.0.0.1:1/x?y")
	defer proxy.Close()
	if want := "ftp://me:p%40ss@" + proxy.Addr + "/x?y"; proxy.URL != want {
		t.Errorf("URL %s, want %s", proxy.URL, want)
	}
	for _, target := range []string{"", "127.0.0.1", "http://127.0.0.1/", "127.0.0.1:"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is taken", target)
				}
			}()
			fault.NewProxy(target).Close()
		}()
	}
}
