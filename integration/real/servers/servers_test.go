package servers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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

func TestCheckRefusesABaseThatDoesNotFit(t *testing.T) {
	for _, bad := range []string{"x", "80", "-1", "32700", "60000"} {
		t.Setenv("FETCH_REAL_BASE", bad)
		if err := Check(); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("Check with %s: %v", bad, err)
		}
	}
}

// Where hello.txt is not, no server counts as up, whoever has its ports.
func TestNeedSkips(t *testing.T) {
	t.Setenv("FETCH_REAL_DIR", t.TempDir())
	t.Setenv("FETCH_REAL", "")
	t.Run("nothing is up", func(t *testing.T) {
		t.Cleanup(func() {
			if !t.Skipped() {
				t.Error("not skipped")
			}
		})
		Need(t, "vsftpd")
	})
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
