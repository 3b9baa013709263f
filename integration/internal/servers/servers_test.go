package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestPortsAreDistinctAndBelowThoseTheSystemHandsOut(t *testing.T) {
	t.Setenv("FETCH_REAL_BASE", "")
	owner := make(map[int]string)
	claim := func(port int, name string) {
		if port > 32767 {
			t.Errorf("%s has port %d", name, port)
		}
		if other, taken := owner[port]; taken {
			t.Errorf("port %d is both %s's and %s's", port, other, name)
		}
		owner[port] = name
	}
	for _, s := range All() {
		for _, scheme := range s.Schemes {
			claim(s.Port(scheme), s.Name)
		}
		low, high := s.PassivePorts()
		for port := low; port <= high; port++ {
			claim(port, s.Name)
		}
	}
}

func TestAddresses(t *testing.T) {
	t.Setenv("FETCH_REAL_BASE", "12000")
	if got, want := Addr("vsftpd"), "127.0.0.1:12200"; got != want {
		t.Errorf("Addr = %s, want %s", got, want)
	}
	if got, want := URL("nginx"), "http://127.0.0.1:12000"; got != want {
		t.Errorf("URL = %s, want %s", got, want)
	}
	nginx, _ := Find("nginx")
	in := nginx.instance("DIR")
	if got, want := in.Tree, "http://127.0.0.1:12000/pub"; got != want {
		t.Errorf("Tree = %s, want %s", got, want)
	}
	if got, want := in.Addrs["https"], "127.0.0.1:12001"; got != want {
		t.Errorf("https = %s, want %s", got, want)
	}
	squid, _ := Find("squid")
	if in := squid.instance("DIR"); in.Tree != "" || in.URL != "http://127.0.0.1:12800" {
		t.Errorf("a proxy has tree %q and URL %s", in.Tree, in.URL)
	}
}

func TestCheckRefusesAnInvalidBase(t *testing.T) {
	for _, bad := range []string{"x", "80", "-1", "32700", "60000"} {
		t.Setenv("FETCH_REAL_BASE", bad)
		if err := Check(); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("Check with %s: %v", bad, err)
		}
	}
}

// listening starts a listener in place of vsftpd, at a first port of its own, with a
// state directory that has the files of vsftpd, and returns it.
func listening(t *testing.T) net.Listener {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("FETCH_REAL_DIR", dir)
	if err := os.MkdirAll(Root(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(Root(dir), "hello.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for base := 1024; base < 5000; base += perServer {
		t.Setenv("FETCH_REAL_BASE", strconv.Itoa(base))
		if l, err := net.Listen("tcp", Addr("vsftpd")); err == nil {
			t.Cleanup(func() { l.Close() })
			return l
		}
	}
	t.Fatal("no port is free")
	return nil
}

// connections returns how many connections l has got, without the one that it makes
// itself to find the end of the queue.
func connections(t *testing.T, l net.Listener) (n int) {
	t.Helper()
	last, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	for {
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if conn.RemoteAddr().String() == last.LocalAddr().String() {
			return n
		}
		n++
	}
}

func TestNeedConnectsToNothingUnlessFETCH_REALIsSet(t *testing.T) {
	l := listening(t)
	for value, want := range map[string]int{"": 0, "up": 1, "required": 1} {
		t.Run("FETCH_REAL="+value, func(t *testing.T) {
			t.Setenv("FETCH_REAL", value)
			t.Cleanup(func() {
				if t.Skipped() != (want == 0) {
					t.Errorf("skipped: %v", t.Skipped())
				}
				if got := connections(t, l); got != want {
					t.Errorf("%d connections, want %d", got, want)
				}
			})
			if in := Need(t, "vsftpd"); in.Addr != l.Addr().String() {
				t.Errorf("it is at %s, want %s", in.Addr, l.Addr())
			}
		})
	}
}

// Without hello.txt no server counts as up, even if its ports are in use.
func TestNeedSkipsAServerThatIsDown(t *testing.T) {
	listening(t)
	t.Setenv("FETCH_REAL_DIR", t.TempDir())
	t.Setenv("FETCH_REAL", "up")
	t.Run("skipped", func(t *testing.T) {
		t.Cleanup(func() {
			if !t.Skipped() {
				t.Error("not skipped")
			}
		})
		Need(t, "vsftpd")
	})
}

// An installed client is not run either.
func TestNeedClientSkipsUnlessFETCH_REALIsSet(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FETCH_REAL_DIR", dir)
	command := Client(dir, "lynx")
	if err := os.MkdirAll(filepath.Dir(command), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(command, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	for value, want := range map[string]bool{"": false, "up": true, "required": true} {
		t.Run("FETCH_REAL="+value, func(t *testing.T) {
			t.Setenv("FETCH_REAL", value)
			t.Cleanup(func() {
				if t.Skipped() == want {
					t.Errorf("skipped: %v", t.Skipped())
				}
			})
			if got := NeedClient(t, "lynx"); got != command {
				t.Errorf("it is %s, want %s", got, command)
			}
		})
	}
}

func TestFillIsTheSameEveryTime(t *testing.T) {
	var b bytes.Buffer
	if err := Fill(&b, Size100k); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	const want = "ab45b2ee010300d68cb5db7248b3967b4dd9e1db09b2abe41c75aedfffee7ab0"
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Errorf("SHA-256 of 100k.bin is %s, want %s", got, want)
	}
	var longer bytes.Buffer
	if err := Fill(&longer, Size5m+1); err != nil {
		t.Fatal(err)
	}
	if longer.Len() != Size5m+1 {
		t.Errorf("%d bytes, want %d", longer.Len(), Size5m+1)
	}
	if !bytes.HasPrefix(longer.Bytes(), b.Bytes()) {
		t.Error("a longer file does not begin with the shorter one")
	}
}

// A server over UDP answers from another port than the one that is asked.
func TestAnswersByUDP(t *testing.T) {
	asked, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer asked.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, from, err := asked.ReadFrom(make([]byte, 512))
		if err != nil {
			return
		}
		if other, err := net.ListenPacket("udp", "127.0.0.1:0"); err == nil {
			defer other.Close()
			other.WriteTo([]byte("\x00\x05\x00\x01no\x00"), from)
		}
	}()
	if err := Answers("tftp", asked.LocalAddr().String()); err != nil {
		t.Error(err)
	}
	<-done
}
