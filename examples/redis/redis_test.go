package redis

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// A server is a Redis server with a user joe, whose password is s3cret.
type server struct {
	values      map[string]string
	surplus     string // sent behind the next value
	connections atomic.Int32
}

// start returns the address of s.
func start(t *testing.T, s *server) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s.accept(l)
	return l.Addr().String()
}

// startTLS is start for rediss, with the settings of a client that trusts s.
func startTLS(t *testing.T, s *server) (string, *tls.Config) {
	web := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(web.Close)
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: web.TLS.Certificates})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	s.accept(l)
	trusted := x509.NewCertPool()
	trusted.AddCert(web.Certificate())
	return l.Addr().String(), &tls.Config{RootCAs: trusted}
}

// accept serves the connections of l.
func (s *server) accept(l net.Listener) {
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s.connections.Add(1)
			go s.serve(c)
		}
	}()
}

func (s *server) serve(c net.Conn) {
	defer c.Close()
	in, welcome := bufio.NewReader(c), false
	for {
		args, err := command(in)
		if err != nil {
			return
		}
		value, known := "", false
		if len(args) == 2 {
			value, known = s.values[args[1]]
		}
		switch {
		case args[0] == "AUTH" && strings.Join(args[1:], ":") == "joe:s3cret":
			welcome = true
			io.WriteString(c, "+OK\r\n")
		case args[0] == "AUTH":
			io.WriteString(c, "-WRONGPASS invalid username-password pair or user is disabled.\r\n")
		case !welcome:
			io.WriteString(c, "-NOAUTH Authentication required.\r\n")
		case args[0] == "PING":
			io.WriteString(c, "+PONG\r\n")
		case args[0] == "GET" && known:
			fmt.Fprintf(c, "$%d\r\n%s\r\n%s", len(value), value, s.surplus)
		case args[0] == "GET":
			io.WriteString(c, "$-1\r\n")
		case args[0] == "EXISTS" && known:
			io.WriteString(c, ":1\r\n")
		case args[0] == "STRLEN":
			fmt.Fprintf(c, ":%d\r\n", len(value))
		default:
			io.WriteString(c, ":0\r\n")
		}
	}
}

// command reads an array of strings.
func command(in *bufio.Reader) (args []string, err error) {
	var n, size int
	if _, err := fmt.Fscanf(in, "*%d\r\n", &n); err != nil {
		return nil, err
	}
	for range n {
		if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
			return nil, err
		}
		arg := make([]byte, size+2)
		if _, err := io.ReadFull(in, arg); err != nil {
			return nil, err
		}
		args = append(args, string(arg[:size]))
	}
	return args, nil
}

// client returns a Client whose scheme redis is f, as programs use it.
func client(t *testing.T, f *Fetcher) *fetchers.Client {
	r := new(fetchers.Registry)
	r.Register(f, "redis", "rediss")
	c := &fetchers.Client{Fetcher: r}
	t.Cleanup(c.CloseIdle)
	return c
}

func TestValues(t *testing.T) {
	s := &server{values: map[string]string{"a/b c": "hello\r\n", "$5\r\nx": "injected", "empty": "", "long": strings.Repeat("0123456789", 100_000)}}
	base := "redis://joe:s3cret@" + start(t, s)
	c := client(t, new(Fetcher))
	for range 2 {
		for path, want := range map[string]string{"/a%2Fb%20c": "hello\r\n", "/%245%0D%0Ax": "injected", "/empty": "", "/long": s.values["long"]} {
			res, err := c.Get(t.Context(), base+path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(res.Body)
			if string(got) != want || err != nil || res.Size != int64(len(want)) {
				t.Errorf("%s: %d bytes of %d, %v", path, len(got), res.Size, err)
			}
			res.Close()
		}
	}
	if n := s.connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// rediss is redis in TLS, for clients that trust the server.
func TestTLS(t *testing.T) {
	s := &server{values: map[string]string{"k": "v"}}
	addr, trusted := startTLS(t, s)
	u := "rediss://joe:s3cret@" + addr + "/k"
	res, err := client(t, &Fetcher{TLS: trusted}).Get(t.Context(), u)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	if got, err := io.ReadAll(res.Body); string(got) != "v" || err != nil || res.TLS == nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := client(t, new(Fetcher)).Get(t.Context(), u); !errors.Is(err, fetchers.ErrUntrusted) {
		t.Errorf("%v, want ErrUntrusted", err)
	}
}

func TestRefusals(t *testing.T) {
	s := &server{values: map[string]string{"k": "v"}}
	addr := start(t, s)
	c := client(t, new(Fetcher))
	for base, want := range map[string]error{
		"redis://joe:s3cret@" + addr + "/missing": fs.ErrNotExist,
		"redis://joe:wrong1@" + addr + "/k":       fetchers.ErrLogin,
		"redis://" + addr + "/k":                  fetchers.ErrLogin,
	} {
		_, err := c.Get(t.Context(), base)
		if !errors.Is(err, want) || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "wrong1") {
			t.Errorf("%v, want %v without a password", err, want)
		}
	}
}

// A connection with surplus data is not used again.
func TestConnectionWithSurplusDataIsNotReused(t *testing.T) {
	s := &server{values: map[string]string{"one": "1", "two": "2"}, surplus: "$3\r\nbad\r\n"}
	base := "redis://joe:s3cret@" + start(t, s) + "/"
	c := client(t, new(Fetcher))
	for i, name := range []string{"one", "two", "one"} {
		res, err := c.Get(t.Context(), base+name)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(res.Body); string(got) != s.values[name] || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		res.Close()
		if n := s.connections.Load(); n != int32(i+1) {
			t.Errorf("%s connections, want %d", strconv.Itoa(int(n)), i+1)
		}
	}
}

// A Tap receives each exchange, without the password.
func TestTap(t *testing.T) {
	s := &server{values: map[string]string{"k": "v"}}
	c := client(t, new(Fetcher))
	base := "redis://joe:s3cret@" + start(t, s) + "/k"
	for _, want := range []string{
		">AUTH ***<+OK\r\n>*2\r\n$3\r\nGET\r\n$1\r\nk\r\n<$1\r\nv\r\n",
		">*2\r\n$3\r\nGET\r\n$1\r\nk\r\n<$1\r\nv\r\n",
	} {
		var told strings.Builder
		res, err := c.Get(fetchers.WithTrace(t.Context(), &fetchers.Trace{Tap: func(context.Context, string, string) *fetchers.Tap {
			return &fetchers.Tap{
				Sent:  func(p []byte) { told.WriteString(">" + string(p)) },
				Got:   func(p []byte) { told.WriteString("<" + string(p)) },
				Ended: func(error) {},
			}
		}}), base)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, res.Body)
		res.Close()
		if got := told.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
