package sftp_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
)

// newKey returns a key, encrypted if there is a passphrase, and the line of its public key.
func newKey(t testing.TB, passphrase string) (sftp.Key, string) {
	t.Helper()
	private, line := newPrivate(t)
	block, err := ssh.MarshalPrivateKey(private, "")
	if passphrase != "" {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return sftp.Key{Name: "id_test", Private: pem.EncodeToMemory(block)}, line
}

func newPrivate(t testing.TB) (ed25519.PrivateKey, string) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	return private, string(ssh.MarshalAuthorizedKey(shown))
}

// answering answers questions by their beginnings, and counts them.
func answering(answers map[string]string, asked *int) func(context.Context, sftp.Question) (string, error) {
	return func(_ context.Context, q sftp.Question) (string, error) {
		*asked++
		if ours := strings.HasPrefix(q.Text, "pass"); q.Server == ours {
			return "", fmt.Errorf("%q is asked by the server: %v", q.Text, q.Server)
		}
		for begin, answer := range answers {
			if strings.HasPrefix(q.Text, begin) {
				return answer, nil
			}
		}
		return "", errors.New("no answer to " + q.Text)
	}
}

func as(user, password string) func(*fetchers.Request) {
	return func(r *fetchers.Request) { r.Login = &fetchers.Credential{User: user, Password: password} }
}

func TestLogins(t *testing.T) {
	open, openLine := newKey(t, "")
	locked, lockedLine := newKey(t, "s3cret")
	other, _ := newKey(t, "")
	held, heldLine := newPrivate(t)
	user := sftptest.User("user", "s3cret")
	code := sftptest.Question("Code: ", "123456")
	for name, c := range map[string]struct {
		opts    []sftptest.Option
		with    []func(*fetchers.Request)
		keys    []sftp.Key
		agent   []any
		answers map[string]string
		asked   int // questions for two connections
		err     error
	}{
		"no question":                           {},
		"a password":                            {opts: []sftptest.Option{user}, with: []func(*fetchers.Request){as("user", "s3cret")}},
		"a wrong password":                      {opts: []sftptest.Option{user}, with: []func(*fetchers.Request){as("user", "wr0ng")}, err: fetchers.ErrLogin},
		"no password":                           {opts: []sftptest.Option{user}, err: fetchers.ErrLogin},
		"a key":                                 {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine)}, keys: []sftp.Key{other, open}},
		"another key":                           {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine)}, keys: []sftp.Key{other}, err: fs.ErrPermission},
		"another key, where a password will do": {opts: []sftptest.Option{user, sftptest.AuthorizedKey(openLine)}, keys: []sftp.Key{other}, err: fetchers.ErrLogin},
		"a key and a passphrase": {opts: []sftptest.Option{sftptest.AuthorizedKey(lockedLine)}, keys: []sftp.Key{locked},
			answers: map[string]string{"passphrase of id_test: ": "s3cret"}, asked: 1},
		"a key and a wrong passphrase": {opts: []sftptest.Option{sftptest.AuthorizedKey(lockedLine)}, keys: []sftp.Key{locked},
			answers: map[string]string{"passphrase": "wr0ng"}, asked: 3, err: fs.ErrPermission},
		"a passphrase for a key that the server does not want": {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine)}, keys: []sftp.Key{locked},
			answers: map[string]string{"passphrase": "s3cret"}, err: fs.ErrPermission},
		"the agent":                      {opts: []sftptest.Option{sftptest.AuthorizedKey(heldLine)}, agent: []any{held}},
		"the agent and a key":            {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine)}, agent: []any{held}, keys: []sftp.Key{open}},
		"a password as the first answer": {opts: []sftptest.Option{sftptest.Question("Password: ", "s3cret")}, with: []func(*fetchers.Request){as("user", "s3cret")}},
		"a password and a code": {opts: []sftptest.Option{sftptest.Question("Password: ", "s3cret"), code}, with: []func(*fetchers.Request){as("user", "s3cret")},
			answers: map[string]string{"Code: ": "123456"}, asked: 2},
		"a password and a code, without a prompt": {opts: []sftptest.Option{sftptest.Question("Password: ", "s3cret"), code},
			with: []func(*fetchers.Request){as("user", "s3cret")}, err: fetchers.ErrLogin},
		"a key and then a password": {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine), sftptest.Question("Password: ", "s3cret"), sftptest.Both()},
			with: []func(*fetchers.Request){as("user", "s3cret")}, keys: []sftp.Key{open}},
		"a key, and no password after it": {opts: []sftptest.Option{sftptest.AuthorizedKey(openLine), sftptest.Question("Password: ", "s3cret"), sftptest.Both()},
			keys: []sftp.Key{open}, err: fetchers.ErrLogin},
	} {
		t.Run(name, func(t *testing.T) {
			server := sftptest.New(t, files, c.opts...)
			f := knowing(t, server)
			f.Keys, f.NoReuse = c.keys, true
			if c.agent != nil {
				f.Agent = agentWith(t, c.agent)
			}
			asked := 0
			if c.answers != nil {
				f.Ask = answering(c.answers, &asked)
			}
			for range 2 {
				_, body, err := get(t, f, server.URL+"/pub/short", c.with...)
				if c.err == nil && (err != nil || body != "short\n") || !errors.Is(err, c.err) {
					t.Errorf("%q, %v; want %v", body, err, c.err)
				}
				if err != nil && strings.Contains(err.Error(), "wr0ng") {
					t.Errorf("the error has the password: %v", err)
				}
				if c.err != nil {
					break
				}
			}
			if asked != c.asked {
				t.Errorf("%d questions, want %d", asked, c.asked)
			}
		})
	}
}

// agentWith returns an agent with keys.
func agentWith(t *testing.T, keys []any) func(context.Context) (io.ReadWriteCloser, error) {
	ring := agent.NewKeyring()
	for _, k := range keys {
		if err := ring.Add(agent.AddedKey{PrivateKey: k}); err != nil {
			t.Fatal(err)
		}
	}
	return func(context.Context) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		go func() {
			agent.ServeAgent(ring, far)
			far.Close()
		}()
		return near, nil
	}
}

// An agent that does not answer delays neither the end of a fetch nor the timeout of the server.
func TestSilentAgent(t *testing.T) {
	server := sftptest.New(t, files, sftptest.User("user", "s3cret"), sftptest.AuthorizedKey(func() string { _, line := newKey(t, ""); return line }()))
	f := knowing(t, server)
	asked := make(chan struct{}, 1)
	f.Agent = func(context.Context) (io.ReadWriteCloser, error) {
		near, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		go func() {
			far.Read(make([]byte, 1))
			asked <- struct{}{}
			io.Copy(io.Discard, far)
		}()
		return near, nil
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	_, err := f.Fetch(ctx, &fetchers.Request{URL: parse(t, server.URL+"/pub/short")})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	f.Network = &fetchers.Network{Stall: 200 * time.Millisecond}
	if _, _, err := get(t, f, server.URL+"/pub/short"); !errors.Is(err, fetchers.ErrStalled) {
		t.Errorf("silent: %v", err)
	}
}

// Only the configured keys are offered, also from the agent.
func TestKeysOnly(t *testing.T) {
	held, heldLine := newPrivate(t)
	open, openLine := newKey(t, "")
	server := sftptest.New(t, files, sftptest.AuthorizedKey(heldLine), sftptest.AuthorizedKey(openLine))
	for keys, want := range map[*sftp.Key]bool{nil: false, &open: true} {
		f := knowing(t, server)
		f.Agent = agentWith(t, []any{held})
		f.Keys = []sftp.Key{open}
		f.Host = func(string, string) (sftp.Host, error) {
			h := sftp.Host{KeysOnly: true}
			if keys != nil {
				h.Keys = []sftp.Key{*keys}
			}
			return h, nil
		}
		if _, _, err := get(t, f, server.URL+"/pub/short"); (err == nil) != want {
			t.Errorf("%v: %v", keys != nil, err)
		}
	}
}

func TestHostKeys(t *testing.T) {
	server := sftptest.New(t, files, sftptest.User("user", "s3cret"))
	url := strings.Replace(server.URL, "://", "://user:s3cret@", 1) + "/pub/short"
	var key *sftp.HostKeyError

	f := new(sftp.Fetcher)
	_, _, err := get(t, f, url)
	if !errors.As(err, &key) || key.Changed() || key.Fingerprint != server.Fingerprint() || !errors.Is(err, fetchers.ErrUntrusted) || fetchers.ClassOf(err) != fetchers.ErrUntrusted {
		t.Errorf("not known: %v", err)
	}
	var lines []string
	f.AcceptNew = func(_ *sftp.HostKeyError, line string) error { lines = append(lines, line); return nil }
	f.NoReuse = true
	if _, _, err := get(t, f, url, func(r *fetchers.Request) { r.Named = fetchers.ByStranger }); !errors.As(err, &key) || key.Changed() || len(lines) != 0 {
		t.Errorf("not known, and named by a stranger: %v, %q", err, lines)
	}
	for range 2 {
		if _, _, err := get(t, f, url); err != nil {
			t.Errorf("accepted: %v", err)
		}
	}
	if len(lines) != 1 || lines[0]+"\n" != server.KnownHosts() {
		t.Errorf("the lines for the file are %q, want once %q", lines, server.KnownHosts())
	}
	known := knowing(t, server)
	known.NoReuse = true
	if _, _, err := get(t, known, url); err != nil {
		t.Errorf("known: %v", err)
	}

	// The key changes during the run.
	server.ChangeHostKey()
	for name, f := range map[string]*sftp.Fetcher{"accepted": f, "known": known} {
		known.AcceptNew = f.AcceptNew
		if _, _, err := get(t, f, url); !errors.As(err, &key) || !key.Changed() || key.Fingerprint != server.Fingerprint() || errors.Is(err, fetchers.ErrTemporary) {
			t.Errorf("%s and changed: %v", name, err)
		}
	}
	if len(lines) != 1 {
		t.Errorf("a key that has changed was accepted: %q", lines)
	}
}

// A server whose key has changed is accepted if the configuration says so, and gets no password.
func TestChangedHostKeys(t *testing.T) {
	key, line := newKey(t, "")
	for name, c := range map[string]struct {
		opts []sftptest.Option
		err  error
	}{
		"no login":   {},
		"a key":      {opts: []sftptest.Option{sftptest.AuthorizedKey(line), sftptest.User("user", "s3cret")}},
		"a password": {opts: []sftptest.Option{sftptest.User("user", "s3cret")}, err: fs.ErrPermission},
		"a question": {opts: []sftptest.Option{sftptest.Question("Password: ", "s3cret")}, err: fs.ErrPermission},
	} {
		t.Run(name, func(t *testing.T) {
			server := sftptest.New(t, files, c.opts...)
			f := knowing(t, server)
			f.Keys = []sftp.Key{key}
			asked := 0
			f.Ask = answering(map[string]string{"": "s3cret"}, &asked)
			server.ChangeHostKey()
			var changed *sftp.HostKeyError
			f.Host = func(string, string) (sftp.Host, error) {
				return sftp.Host{AcceptChanged: func(e *sftp.HostKeyError) error { changed = e; return nil }}, nil
			}
			url := strings.Replace(server.URL, "://", "://user:s3cret@", 1) + "/pub/short"
			if _, body, err := get(t, f, url); !errors.Is(err, c.err) || c.err == nil && (err != nil || body != "short\n") {
				t.Errorf("%q, %v; want %v", body, err, c.err)
			}
			if changed == nil || changed.Fingerprint != server.Fingerprint() || !changed.Changed() {
				t.Errorf("AcceptChanged was called with %v", changed)
			}
			if asked != 0 {
				t.Errorf("the user was asked %d times", asked)
			}
			f.CloseIdle()
			if _, _, err := get(t, f, url, func(r *fetchers.Request) { r.Named = fetchers.ByServer }); !errors.As(err, &changed) {
				t.Errorf("named by a server: %v", err)
			}
		})
	}
}

// HostKey may be the key of the server although KnownHosts has another one: AcceptChanged is called
// only for the latter, and the server gets no password.
func TestHostKeyOfChangedHost(t *testing.T) {
	server := sftptest.New(t, files, sftptest.User("user", "s3cret"))
	open := sftptest.New(t, files)
	for name, c := range map[string]struct {
		server *sftptest.Server
		other  bool // HostKey is another key
		asked  bool
		err    error
	}{
		"the key":                 {server: open, asked: true},
		"the key, and a password": {server: server, asked: true, err: fs.ErrPermission},
		"another key":             {server: open, other: true, err: fetchers.ErrUntrusted},
	} {
		f := knowing(t, c.server)
		before := c.server.Fingerprint()
		c.server.ChangeHostKey()
		if f.HostKey = c.server.Fingerprint(); c.other {
			f.HostKey = before
		}
		asked := false
		f.Host = func(string, string) (sftp.Host, error) {
			return sftp.Host{AcceptChanged: func(*sftp.HostKeyError) error { asked = true; return nil }}, nil
		}
		_, _, err := get(t, f, strings.Replace(c.server.URL, "://", "://user:s3cret@", 1)+"/pub/short")
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || asked != c.asked {
			t.Errorf("%s: %v, AcceptChanged was called: %v; want %v, %v", name, err, asked, c.err, c.asked)
		}
	}
}

// The known_hosts files of all hops are read before the first connection.
func TestLoad(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(cut, []byte("h.example ssh-ed25519 AAAAC3Nz\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	near, far := sftptest.New(t, nil, sftptest.Jump()), sftptest.New(t, files)
	for name, c := range map[string]struct{ near, far *sftp.KnownHosts }{
		"a host on the way": {near: sftp.NewKnownHosts(cut)},
		"the server":        {far: sftp.NewKnownHosts(cut)},
	} {
		f := knowing(t, near, far)
		f.Host = func(name, _ string) (sftp.Host, error) {
			if name == "far.example" {
				host, port, _ := net.SplitHostPort(far.Addr)
				return sftp.Host{HostName: host, Port: number(t, port), Jump: []string{near.Addr}, KnownHosts: c.far}, nil
			}
			return sftp.Host{KnownHosts: c.near}, nil
		}
		f.Network = &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
			t.Errorf("%s: a host is asked", name)
			return nil, net.ErrClosed
		}}
		if _, _, err := get(t, f, "sftp://far.example/pub/short"); err == nil || !strings.Contains(err.Error(), "cut:1: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A Host has its own files, keys and agent.
func TestHostOfItsOwn(t *testing.T) {
	held, heldLine := newPrivate(t)
	server := sftptest.New(t, files, sftptest.AuthorizedKey(heldLine))
	elsewhere := knowing(t, server)
	refuse := func(e *sftp.HostKeyError, _ string) error { return e }
	for name, c := range map[string]struct {
		host sftp.Host
		want bool
	}{
		"nothing":                        {sftp.Host{}, false},
		"known hosts":                    {sftp.Host{KnownHosts: elsewhere.KnownHosts}, false},
		"known hosts and an agent":       {sftp.Host{KnownHosts: elsewhere.KnownHosts, Agent: agentWith(t, []any{held})}, true},
		"a new host and an agent":        {sftp.Host{AcceptNew: func(*sftp.HostKeyError, string) error { return nil }, Agent: agentWith(t, []any{held})}, true},
		"no new host":                    {sftp.Host{AcceptNew: refuse, Agent: agentWith(t, []any{held})}, false},
		"a public key of the agent":      {sftp.Host{KnownHosts: elsewhere.KnownHosts, KeysOnly: true, Keys: []sftp.Key{{Public: []byte(heldLine)}}, Agent: agentWith(t, []any{held})}, true},
		"a public key that is not there": {sftp.Host{KnownHosts: elsewhere.KnownHosts, KeysOnly: true, Keys: []sftp.Key{{Public: []byte(heldLine)}}, NoAgent: true}, false},
	} {
		f := &sftp.Fetcher{Host: func(string, string) (sftp.Host, error) { return c.host, nil }}
		if _, _, err := get(t, f, server.URL+"/pub/short"); (err == nil) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		f.CloseIdle()
	}
	f := knowing(t, server)
	f.Agent = agentWith(t, []any{held})
	f.Host = func(string, string) (sftp.Host, error) { return sftp.Host{NoAgent: true}, nil }
	if _, _, err := get(t, f, server.URL+"/pub/short"); err == nil {
		t.Error("the agent was asked, and the Host has none")
	}
}

// With HostKey the server must have that key, whether it is known or not; a jump host must be
// known.
func TestHostKey(t *testing.T) {
	far, near := sftptest.New(t, files), sftptest.New(t, nil, sftptest.Jump())
	host, port, _ := net.SplitHostPort(far.Addr)
	by := func(name, _ string) (sftp.Host, error) {
		if name == host {
			return sftp.Host{}, nil
		}
		return sftp.Host{HostName: host, Port: number(t, port), Jump: []string{near.Addr}}, nil
	}
	for name, c := range map[string]struct {
		known   []*sftptest.Server
		hostKey string
		url     string
		named   fetchers.Namer
		err     error
	}{
		"a server that is not known":            {hostKey: far.Fingerprint(), url: far.URL},
		"a server that is known":                {known: []*sftptest.Server{far}, hostKey: far.Fingerprint(), url: far.URL},
		"another key than that of a known one":  {known: []*sftptest.Server{far}, hostKey: near.Fingerprint(), url: far.URL, err: fetchers.ErrUntrusted},
		"another key":                           {hostKey: near.Fingerprint(), url: far.URL, err: fetchers.ErrUntrusted},
		"a server that a stranger named":        {hostKey: far.Fingerprint(), url: far.URL, named: fetchers.ByStranger, err: fetchers.ErrUntrusted},
		"a server behind one that is known":     {known: []*sftptest.Server{near}, hostKey: far.Fingerprint(), url: "sftp://far.example"},
		"a server behind one that is not known": {hostKey: far.Fingerprint(), url: "sftp://far.example", err: fetchers.ErrUntrusted},
		"the key of the host on the way":        {known: []*sftptest.Server{near, far}, hostKey: near.Fingerprint(), url: "sftp://far.example", err: fetchers.ErrUntrusted},
	} {
		f := knowing(t, c.known...)
		f.HostKey, f.Host = c.hostKey, by
		_, body, err := get(t, f, c.url+"/pub/short", func(r *fetchers.Request) { r.Named = c.named })
		if !errors.Is(err, c.err) || (err == nil) != (body == "short\n") {
			t.Errorf("%s: %q, %v; want %v", name, body, err, c.err)
		}
	}
}

// A host is reached through jump hosts, each of which must be known.
func TestJumps(t *testing.T) {
	key, line := newKey(t, "")
	first := sftptest.New(t, nil, sftptest.Jump(), sftptest.AuthorizedKey(line))
	second := sftptest.New(t, nil, sftptest.Jump(), sftptest.AuthorizedKey(line))
	server := sftptest.New(t, files, sftptest.User("user", "s3cret"))
	host, port, _ := net.SplitHostPort(server.Addr)
	config := map[string]sftp.Host{
		"near.example": {HostName: host, Port: number(t, port), Jump: []string{"joe@" + second.Addr}},
		"far.example":  {HostName: host, Port: number(t, port), Jump: []string{first.Addr, second.Addr}},
		"lost.example": {HostName: host, Port: 1, Jump: []string{second.Addr}},
		"ring.example": {Jump: []string{"ring.example"}},
	}
	f := knowing(t, first, second, server)
	f.Keys = []sftp.Key{key}
	f.Host = func(name, _ string) (sftp.Host, error) { return config[name], nil }
	for _, name := range []string{"near.example", "far.example"} {
		if _, body, err := get(t, f, "sftp://user:s3cret@"+name+"/pub/short"); err != nil || body != "short\n" {
			t.Errorf("%s: %q, %v", name, body, err)
		}
	}
	if first.Connections() != 1 || second.Connections() != 2 || server.Connections() != 2 {
		t.Errorf("%d, %d and %d connections", first.Connections(), second.Connections(), server.Connections())
	}
	if _, _, err := get(t, f, "sftp://lost.example/pub/short"); !errors.Is(err, fetchers.ErrProxy) {
		t.Errorf("a host that is not there: %v", err)
	}
	if _, _, err := get(t, f, "sftp://ring.example/pub/short"); err == nil || !strings.Contains(err.Error(), "circle") {
		t.Errorf("a circle: %v", err)
	}
	wary := knowing(t, server)
	wary.Keys, wary.Host = f.Keys, f.Host
	var unknown *sftp.HostKeyError
	if _, _, err := get(t, wary, "sftp://near.example/pub/short"); !errors.As(err, &unknown) || !errors.Is(err, fetchers.ErrProxy) {
		t.Errorf("a host on the way that is not known: %v", err)
	}
}

func number(t *testing.T, port string) uint16 {
	t.Helper()
	n, err := net.LookupPort("tcp", port)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
}
