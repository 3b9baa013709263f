package telnet_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/integration/conformance"
	"github.com/seed1ea3422f/fetch/integration/fault"
	"github.com/seed1ea3422f/fetch/integration/telnettest"
	"github.com/seed1ea3422f/fetch/url"
)

func TestConformance(t *testing.T) {
	server := telnettest.NewServer()
	defer server.Close()
	conformance.Run(t, conformance.Target{
		Fetcher:  new(telnet.Fetcher),
		Document: parse(t, server.URL),
		Kind:     fetchers.Session,
	})
	if n := server.Connections(); n != 0 {
		t.Errorf("%d connections for fetching, want none", n)
	}
}

// The name and the password are advisory (RFC 1738, section 3.8; clause U-3.8-6).
func TestHints(t *testing.T) {
	for _, c := range []struct {
		url, service, addr, user, password string
		dial                               bool
	}{
		{"telnet://u:p%20w@h.dom:2323/", "telnet", "h.dom:2323", "u", "p w", true},
		{"telnet://h.dom", "telnet", "h.dom:23", "", "", true},
		{"telnets://[::1]/", "telnets", "[::1]:992", "", "", true},
		{"rlogin://u@h.dom", "rlogin", "h.dom:513", "u", "", false},
		{"tn3270://h.dom/", "tn3270", "h.dom:23", "", "", false},
	} {
		res, err := new(telnet.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, c.url)})
		if err != nil {
			t.Errorf("%s: %v", c.url, err)
			continue
		}
		h := res.Session
		if h.Service != c.service || h.Addr != c.addr || h.Login.User != c.user || h.Login.Password != c.password || (h.Dial != nil) != c.dial {
			t.Errorf("%s: %+v", c.url, h)
		}
	}
	login := &fetchers.Credential{User: "me", Source: "request"}
	res, err := new(telnet.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, "telnet://u@h.dom/"), Login: login})
	if err != nil || res.Session.Login != *login {
		t.Errorf("with a Login of the request: %+v, %v", res.Session, err)
	}
	for _, bad := range []string{"telnet://h.dom/foo", "telnet://u%0D%0Arm@h.dom/", "rlogin://u:p%00@h.dom/"} {
		var malformed *url.Error
		if _, err := new(telnet.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, bad)}); !errors.As(err, &malformed) {
			t.Errorf("%s: %v, want a malformed URL", bad, err)
		}
	}
}

// A session on a terminal negotiates, logs in with typed data, and works.
func TestSession(t *testing.T) {
	for name, opts := range map[string][]telnettest.Option{
		"as inetutils-telnetd": {telnettest.Offer(telnettest.Inetutils...)},
		"ECHO only":            {telnettest.Offer(telnettest.IAC, telnettest.WILL, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			server := telnettest.NewServer(append(opts, telnettest.User("joe", "s3cret"))...)
			defer server.Close()
			s := open(t, &telnet.Fetcher{Terminal: "xterm"}, server.URL)
			s.Resize(100, 255)
			await(t, s, "telnettest ready.\r\nlogin: ")
			if !s.Echoes() {
				t.Error("the server does not echo, by what the session says")
			}
			say(t, s, "joe\r")
			await(t, s, "joe\r\nPassword: ")
			say(t, s, "s3cret\r")
			await(t, s, "\r\n$ ")
			say(t, s, "echo caf\xe9 \xff\r\n")
			await(t, s, "echo caf\xe9 \xff\r\ncaf\xe9 \xff\r\n$ ")
			if name == "ECHO only" {
				return
			}
			say(t, s, "term\r")
			await(t, s, "term\r\nXTERM\r\n$ ")
			say(t, s, "size\r")
			await(t, s, "size\r\n100x255\r\n$ ")
			s.Resize(80, 24)
			say(t, s, "size\r")
			await(t, s, "size\r\n80x24\r\n$ ")
			say(t, s, "bin\r")
			await(t, s, "bin\r\n\xff\xff\x00\r\n$ ")
			say(t, s, "exit\r")
			await(t, s, "exit\r\nbye\r\n")
			if rest, err := io.ReadAll(s); len(rest) > 0 || err != nil {
				t.Errorf("at the end there is %q, %v", rest, err)
			}
			for _, never := range []string{"NEW-ENVIRON", "WILL ECHO"} {
				if slices.ContainsFunc(server.Transcript(), func(line string) bool { return strings.HasPrefix(line, "WILL "+never) }) {
					t.Errorf("the server was told WILL %s", never)
				}
			}
		})
	}
}

// Without a terminal the client refuses every option, and receives the greeting.
func TestRefusal(t *testing.T) {
	server := telnettest.NewServer(telnettest.Offer(telnettest.Inetutils...), telnettest.Greeting("welcome\r\n"))
	defer server.Close()
	s := open(t, new(telnet.Fetcher), server.URL+"/")
	await(t, s, "welcome\r\n$ ")
	for _, line := range server.Transcript() {
		if strings.HasPrefix(line, "WILL") || strings.HasPrefix(line, "DO ") {
			t.Errorf("the server was told %s", line)
		}
	}
	if s.Echoes() {
		t.Error("the server echoes, by what the session says")
	}
}

// A mebibyte of random bytes is echoed unchanged, and so are bytes that are mostly IAC and CR.
func TestBinary(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	all := make([]byte, 1<<20)
	random.Read(all)
	awkward := make([]byte, 1<<18)
	for i := range awkward {
		awkward[i] = []byte("\xff\r\n\x00\xf0\xfa\xfba")[random.Uint64()%8]
	}
	for name, c := range map[string]struct {
		content  []byte
		terminal string
		offers   []byte
	}{
		"all bytes, NVT":    {all, "", nil},
		"awkward ones, NVT": {awkward, "", nil},
		"all bytes, BINARY": {all, "xterm", []byte{telnettest.IAC, telnettest.DO, 0}},
		"awkward, BINARY":   {awkward, "xterm", []byte{telnettest.IAC, telnettest.DO, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			server := telnettest.NewServer(telnettest.Offer(c.offers...), telnettest.Handler(func(conn *telnettest.Conn) {
				got := make([]byte, 0, len(c.content))
				conn.Print("go\r\n")
				for len(got) < len(c.content) {
					b, err := conn.Octet()
					if err != nil {
						return
					}
					got = append(got, b)
				}
				conn.Write(got)
			}))
			defer server.Close()
			s := open(t, &telnet.Fetcher{Terminal: c.terminal}, server.URL)
			await(t, s, "go\r\n")
			go func() {
				for rest := c.content; len(rest) > 0; { // in odd chunks
					n := min(len(rest), 1+int(random.Uint64()%20_000))
					if sent, err := s.Write(rest[:n]); sent != n || err != nil {
						t.Errorf("Write = %d, %v, want %d", sent, err, n)
						return
					}
					rest = rest[n:]
				}
			}()
			got, err := io.ReadAll(s)
			if err != nil || !bytes.Equal(got, c.content) {
				t.Errorf("%d bytes came back that are not the %d sent, %v", len(got), len(c.content), err)
			}
		})
	}
}

// Each fault is reported with its class, and none runs forever.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name string
		do   telnettest.Action
		want error
	}{
		{"closed", telnettest.Cut, io.EOF},
		{"reset", telnettest.Reset, syscall.ECONNRESET},
		{"half a command", telnettest.Half, io.ErrUnexpectedEOF},
		{"an endless subnegotiation", telnettest.Sub, fetchers.ErrProtocol},
		{"an endless negotiation", telnettest.Flood, fetchers.ErrProtocol},
	} {
		t.Run(c.name, func(t *testing.T) {
			// A reset right after the connect would count as a failure to connect, so the server
			// sends a request first.
			server := telnettest.NewServer(telnettest.Offer(telnettest.IAC, telnettest.DO, 39), telnettest.Faults(telnettest.Fault{After: 10, Do: c.do}))
			defer server.Close()
			s := open(t, &telnet.Fetcher{Terminal: "xterm"}, server.URL)
			got, err := io.ReadAll(s)
			if err == nil {
				err = io.EOF
			}
			if !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
			if c.do != telnettest.Reset && string(got) != "telnettest" {
				t.Errorf("before it came %q", got)
			}
		})
	}
}

// A server that contradicts every refusal gets answers for a limited time.
func TestArgument(t *testing.T) {
	server := telnettest.NewServer(telnettest.Offer(telnettest.IAC, telnettest.DO, 39), telnettest.Faults(telnettest.Fault{Do: telnettest.Argue}),
		telnettest.Handler(func(c *telnettest.Conn) { c.Octet() }))
	defer server.Close()
	s := open(t, new(telnet.Fetcher), server.URL)
	if _, err := io.ReadAll(s); !errors.Is(err, fetchers.ErrProtocol) {
		t.Errorf("the error is %v, want ErrProtocol", err)
	}
}

// A server that stops receiving typed data times out, and a silent one does not.
func TestStall(t *testing.T) {
	silent := telnettest.NewServer(telnettest.Handler(func(c *telnettest.Conn) {
		time.Sleep(300 * time.Millisecond)
		c.Print("there you are")
	}))
	defer silent.Close()
	f := &telnet.Fetcher{Network: &fetchers.Network{Stall: 100 * time.Millisecond}}
	await(t, open(t, f, silent.URL), "there you are")

	deaf := telnettest.NewServer(telnettest.Handler(func(c *telnettest.Conn) { <-t.Context().Done() }))
	s := open(t, f, deaf.URL)
	go func() { io.Copy(io.Discard, s) }()
	var err error
	for p := make([]byte, 1<<20); err == nil; {
		_, err = s.Write(p)
	}
	if !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("the error is %v, want ErrStalled", err)
	}
	s.Close()
	t.Cleanup(deaf.Close)
}

// A session ends with its context.
func TestCancel(t *testing.T) {
	server := telnettest.NewServer(telnettest.Faults(telnettest.Fault{After: 3, Do: telnettest.Stall}))
	defer server.Close()
	res, err := new(telnet.Fetcher).Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s, err := res.Session.Dial(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	await(t, s, "tel")
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := io.ReadAll(s); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v, want canceled", err)
	}
	if _, err := res.Session.Dial(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("dialling with it: %v, want canceled", err)
	}
}

// telnets uses TLS from the first byte, and verifies the certificate.
func TestTLS(t *testing.T) {
	server := telnettest.NewServer(telnettest.TLS(), telnettest.Offer(telnettest.IAC, telnettest.DO, 24),
		telnettest.Handler(func(c *telnettest.Conn) { c.Print("safe\r\n") }))
	defer server.Close()
	s := open(t, &telnet.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}}, server.URL)
	if got, err := io.ReadAll(s); string(got) != "safe\r\n" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	proxy := fault.NewProxy(server.URL, fault.Faults(fault.Fault{Do: fault.NoNotify}))
	defer proxy.Close()
	s = open(t, &telnet.Fetcher{TLS: &tls.Config{RootCAs: server.Roots()}}, proxy.URL)
	if got, err := io.ReadAll(s); string(got) != "safe\r\n" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("without close_notify: %q, %v", got, err)
	}
	var untrusted *tls.CertificateVerificationError
	if _, err := dial(t, new(telnet.Fetcher), server.URL); !errors.As(err, &untrusted) {
		t.Errorf("without its authority: %v", err)
	}
}

func open(t *testing.T, f *telnet.Fetcher, u string) *telnet.Session {
	t.Helper()
	s, err := dial(t, f, u)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func dial(t *testing.T, f *telnet.Fetcher, u string) (*telnet.Session, error) {
	t.Helper()
	res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, u)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	t.Cleanup(cancel)
	s, err := res.Session.Dial(ctx)
	if err != nil {
		return nil, err
	}
	return s.(*telnet.Session), nil
}

// await reads the expected text from s.
func await(t *testing.T, s io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(want))
	if n, err := io.ReadFull(s, got); string(got[:n]) != want {
		t.Fatalf("read %q, %v, want %q", got[:n], err, want)
	}
}

func say(t *testing.T, s io.Writer, text string) {
	t.Helper()
	if n, err := io.WriteString(s, text); n != len(text) || err != nil {
		t.Fatalf("Write = %d, %v", n, err)
	}
}

func parse(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// A silent TLS server times out.
func TestTLSStall(t *testing.T) {
	silent := telnettest.NewServer(telnettest.Handler(func(c *telnettest.Conn) { <-t.Context().Done() }))
	t.Cleanup(silent.Close)
	f := &telnet.Fetcher{Network: &fetchers.Network{Stall: 50 * time.Millisecond}}
	if _, err := dial(t, f, "telnets://"+silent.Addr); !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("the error is %v, want ErrStalled", err)
	}
}
