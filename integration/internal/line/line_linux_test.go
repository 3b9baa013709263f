package line

import (
	"bytes"
	"crypto/sha256"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// newLine skips a test where no line can be made.
func newLine(t *testing.T, o Options) *Line {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("a line is for root")
	}
	if _, err := os.Stat("/dev/net/tun"); err != nil {
		t.Skip(err)
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip(err)
	}
	_, stop, err := newEnd()
	if err != nil {
		t.Skip(err) // a container has another root
	}
	stop()
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestLineCarries sends a megabyte back and forth, by lines of each kind.
func TestLineCarries(t *testing.T) {
	for name, o := range map[string]Options{
		"64 KiB at once":        {RTT: 2 * ms, Mbit: 1000},
		"packet by packet":      {RTT: 2 * ms, Mbit: 400},
		"packets that are lost": {RTT: 2 * ms, Mbit: 400, Loss: 0.01},
		"a queue that is full":  {RTT: 2 * ms, Mbit: 400, Queue: 2 * ms},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLine(t, o)
			addr := echo(t, l)
			sent := bytes.Repeat([]byte("0123456789abcdefg"), 1<<16)
			for range 2 {
				var conn net.Conn
				if err := l.Near.Do(func() (err error) { conn, err = net.DialTimeout("tcp4", addr, 10*time.Second); return err }); err != nil {
					t.Fatal(err)
				}
				go conn.Write(sent)
				got := make([]byte, len(sent))
				if _, err := io.ReadFull(conn, got); err != nil {
					t.Fatal(err)
				}
				conn.Close()
				if sha256.Sum256(got) != sha256.Sum256(sent) {
					t.Error("other bytes came back")
				}
			}
			count := l.Counts()
			if count.Bytes < 4*int64(len(sent)) {
				t.Errorf("the line has carried %d bytes, want those of four ways and their headers", count.Bytes)
			}
			if (count.Lost > 0) != (o.Loss > 0) {
				t.Errorf("%d packets are lost", count.Lost)
			}
			seen := l.Connections()
			if _, port, _ := net.SplitHostPort(addr); len(seen) != 1 || seen[atoi(t, port)] != 2 {
				t.Errorf("the line has seen the connections %v, want 2 to port %s", seen, port)
			}
			if again := l.Connections(); len(again) != 0 {
				t.Errorf("the line has seen the connections %v since", again)
			}
		})
	}
}

// echo starts a server at the far end that sends received bytes back, one connection after the
// other.
func echo(t *testing.T, l *Line) (addr string) {
	t.Helper()
	var listener net.Listener
	if err := l.Far.Do(func() (err error) { listener, err = net.Listen("tcp4", FarAddr+":0"); return err }); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			io.Copy(conn, conn)
			conn.Close()
		}
	}()
	t.Cleanup(func() { listener.Close(); <-ended })
	return listener.Addr().String()
}

func atoi(t *testing.T, port string) int {
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Both ends use the congestion control of the Options, and the machine allows the same ones as
// before.
func TestControl(t *testing.T) {
	allowed := func() string {
		text, err := os.ReadFile(variables + "tcp_allowed_congestion_control")
		if err != nil {
			t.Skip(err)
		}
		return string(text)
	}
	before := allowed()
	known, _ := os.ReadFile(variables + "tcp_available_congestion_control")
	for _, control := range strings.Fields(string(known)) {
		l := newLine(t, Options{Mbit: 100, Control: control})
		for _, end := range []*End{l.Near, l.Far} {
			var got []byte
			end.Do(func() (err error) { got, err = os.ReadFile(variables + "tcp_congestion_control"); return err })
			if s := strings.TrimSpace(string(got)); s != control {
				t.Errorf("the congestion control is %s, want %s", s, control)
			}
		}
		l.Close()
	}
	if after := allowed(); after != before {
		t.Errorf("the machine now allows %q, before %q", after, before)
	}
}

func TestUnknownCongestionControlIsAnError(t *testing.T) {
	newLine(t, Options{Mbit: 100})
	if _, err := New(Options{Mbit: 100, Control: "carrier-pigeon"}); err == nil || !strings.Contains(err.Error(), "carrier-pigeon") {
		t.Errorf("New returns %v", err)
	}
}

// TestServe: stop ends a server and the processes that it has started.
func TestServe(t *testing.T) {
	l := newLine(t, Options{Mbit: 100})
	cmd := exec.Command("sh", "-c", "sleep 1000 & echo $!; wait")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stop, err := l.Far.Serve(cmd)
	if err != nil {
		t.Fatal(err)
	}
	child := make([]byte, 20)
	n, err := out.Read(child)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	stop()
	name := "/proc/" + strings.TrimSpace(string(child[:n])) + "/stat"
	if stat, err := os.ReadFile(name); err == nil && !bytes.Contains(stat, []byte(") Z ")) {
		t.Errorf("the child is still there: %s", stat)
	}
}

func TestInvalidOptions(t *testing.T) {
	for _, o := range []Options{{}, {Mbit: -1}, {Mbit: 1, RTT: -1}, {Mbit: 1, Loss: 1}, {Mbit: 1, Queue: -1}} {
		if l, err := New(o); err == nil {
			l.Close()
			t.Errorf("%+v is a line", o)
		}
	}
}
