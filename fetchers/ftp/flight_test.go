package ftp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/ftp"
	"github.com/seed1ea3422f/fetch/integration/ftptest"
)

// Each flight takes a round trip. Connection, greeting and data connection take three more.
func TestFlights(t *testing.T) {
	have := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, c := range []struct {
		name    string
		req     fetchers.Request
		path    string
		login   string
		first   int // login with the user's name, set-up, transfer
		another int // on the kept connection
		opts    []ftptest.Option
	}{
		{name: "a file", path: "/pub/deep/a/b.txt", first: 3, another: 2},
		{name: "a file, with a password", path: "/pub/deep/a/b.txt", login: "joe:one@", first: 4, another: 2},
		{name: "a file, where FEAT is unknown", path: "/pub/deep/a/b.txt", first: 3, another: 2, opts: []ftptest.Option{ftptest.Without("FEAT")}},
		{name: "a file, where EPSV is unknown", path: "/pub/deep/a/b.txt", first: 4, another: 2, opts: []ftptest.Option{ftptest.Without("EPSV")}},
		{name: "a directory", path: "/pub/deep/", first: 4, another: 2},
		{name: "a list of names", path: "/pub;type=d", first: 4, another: 2},
		{name: "text", path: "/pub/deep/a/b.txt;type=a", first: 3, another: 2},
		{name: "a part of a file", path: "/pub/poem.txt", req: fetchers.Request{Range: fetchers.Range{Offset: 9}}, first: 5, another: 3},
		{name: "a file with its time", path: "/pub/poem.txt", req: fetchers.Request{ModTime: true}, first: 4, another: 2},
		{name: "an unchanged file", path: "/pub/poem.txt", req: fetchers.Request{Have: fetchers.Validator{ModTime: have}}, first: 3, another: 1},
		{name: "a description of a file", path: "/pub/poem.txt", req: fetchers.Request{Describe: true}, first: 3, another: 1},
		{name: "a file, of a server that takes one command at a time", path: "/pub/deep/a/b.txt", first: 10, another: 3, opts: []ftptest.Option{ftptest.Greeting("Microsoft FTP Service")}},
		{name: "a file, of such a server with a banner", path: "/pub/deep/a/b.txt", first: 10, another: 3, opts: []ftptest.Option{ftptest.Greeting("Microsoft FTP Service\nWelcome")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := ftptest.NewServer(files, append(c.opts, ftptest.User("joe", "one"))...)
			defer server.Close()
			f := trusting()
			defer f.CloseIdle()
			c.req.URL = parse(t, strings.Replace(server.URL, "://", "://"+c.login, 1)+c.path)
			before := 0
			for i, want := range []int{c.first, c.another} {
				res, err := f.Fetch(t.Context(), &c.req)
				if err != nil {
					t.Fatal(err)
				}
				if _, err = io.Copy(io.Discard, res.Body); err != nil {
					t.Fatal(err)
				}
				res.Close()
				if got := server.Flights() - before; got != want {
					t.Errorf("fetch %d: %d flights, want %d: %q", i+1, got, want, server.Transcript())
				}
				before = server.Flights()
			}
			if n := server.Logins(); n != 1 {
				t.Errorf("%d logins, want 1", n)
			}
		})
	}
}

// A server that accepts one command at a time is recognized in the first fetch, at the cost of one
// connection.
func TestServerWithoutFlights(t *testing.T) {
	for name, how := range map[string]ftptest.Stumble{"drops the rest": ftptest.DropRest, "hangs up": ftptest.HangUp, "hangs up at once": ftptest.Refuse, "takes them for one": ftptest.OneLine} {
		for _, login := range []string{"", "joe:one@"} {
			for _, path := range []string{"/pub/poem.txt", "/pub/deep/a/b.txt", "/pub/deep/a/"} {
				t.Run(name+" "+login+path, func(t *testing.T) {
					server := ftptest.NewServer(files, ftptest.Stumbles(how), ftptest.User("joe", "one"))
					defer server.Close()
					f := &ftp.Fetcher{Network: &fetchers.Network{Response: 500 * time.Millisecond}}
					f.Between(50 * time.Millisecond)
					u := strings.Replace(server.URL, "://", "://"+login, 1) + path
					want, err := get(t, &ftp.Fetcher{NoReuse: true}, strings.Replace(u, server.Addr, plainServer(t), 1))
					if err != nil {
						t.Fatal(err)
					}
					for connections := 2; connections < 5; connections++ {
						got, err := get(t, f, u)
						if err != nil || got != want {
							t.Errorf("%d bytes, %v", len(got), err)
						}
						if n := server.Connections(); n != connections {
							t.Errorf("%d connections, want %d", n, connections)
						}
						f.CloseIdle()
					}
				})
			}
		}
	}
}

// plainServer returns the address of a server with the same files.
func plainServer(t *testing.T) string {
	server := ftptest.NewServer(files, ftptest.User("joe", "one"))
	t.Cleanup(server.Close)
	return server.Addr
}

// If a server stops answering flights on a kept connection, the fetch is repeated on a new one.
func TestServerWithoutFlightsLater(t *testing.T) {
	for _, reply := range []string{"226 late", "257 \"/\""} {
		server := ftptest.NewServer(files, ftptest.Reply("SIZE poem.txt", reply))
		f := trusting()
		for _, path := range []string{"/pub/deep/a/b.txt", "/pub/poem.txt", "/pub/deep/a/b.txt"} {
			want := string(files[path[1:]].Data)
			if got, err := get(t, f, server.URL+path); got != want || err != nil {
				t.Errorf("%q: %s: %d bytes, %v", reply, path, len(got), err)
			}
		}
		f.CloseIdle()
		server.Close()
	}
}

// After a refused CWD in a flight the working directory is unknown, so the connection is not used
// again.
func TestRefusedCWDInFlight(t *testing.T) {
	tree := fstest.MapFS{"a/f": {Data: []byte("in a\n")}, "f": {Data: []byte("at the top\n")}}
	server := ftptest.NewServer(tree)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	for _, c := range []struct{ path, want string }{
		{"/nope/a/f", ""}, {"/f", "at the top\n"}, {"/a/f", "in a\n"}, {"/nope/a/f", ""}, {"/f", "at the top\n"}, {"/nope/f", ""}, {"/a/f", "in a\n"},
	} {
		got, err := get(t, f, server.URL+c.path)
		if got != c.want || c.want == "" && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v", c.path, got, err)
		}
	}
}

// The command of a transfer is sent during the dial of the data connection. If the dial fails, the
// error is the refusal of the command if there is one, and otherwise the dial error.
func TestRefusedWhileDialling(t *testing.T) {
	for reply, want := range map[string]error{
		"550 No such file.":              fs.ErrNotExist,
		"550 Permission denied.":         fs.ErrPermission,
		"450 Busy.":                      fetchers.ErrTemporary,
		"425 Cannot connect.":            syscall.ECONNREFUSED,
		"150 Here it comes.":             syscall.ECONNREFUSED,
		"150 Here it comes.\r\n226 Done": syscall.ECONNREFUSED,
		"":                               syscall.ECONNREFUSED,
	} {
		server := ftptest.NewServer(files, ftptest.Reply("RETR", reply), ftptest.Reply("CWD deep", "550 No."))
		f := &ftp.Fetcher{Network: &fetchers.Network{
			DialData: func(context.Context, string, string) (net.Conn, error) { return nil, syscall.ECONNREFUSED },
		}}
		if _, err := get(t, f, server.URL+"/deep"); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", reply, err, want)
		}
		f.CloseIdle()
		server.Close()
	}
}

// A directory without its slash redirects to the URL with it, even if the server closes the data
// port when it refuses RETR, as ProFTPD does. The connection remains usable.
func TestDirectoryWhileDialling(t *testing.T) {
	server := ftptest.NewServer(files)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	f.Network = &fetchers.Network{DialData: func(ctx context.Context, network, addr string) (net.Conn, error) {
		return nil, syscall.ECONNREFUSED
	}}
	for _, path := range []string{"/pub/deep", "/pub/deep/a"} {
		res, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, server.URL+path)})
		if err != nil {
			t.Fatal(err)
		}
		if res.Kind != fetchers.Redirect || res.Location.Path != path+"/" {
			t.Errorf("%v to %v", res.Kind, res.Location)
		}
		res.Close()
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// A long path takes several flights, and a server that does not read while it writes causes no
// deadlock.
func TestFlightIsBounded(t *testing.T) {
	name := strings.Repeat("d", 100)
	path := strings.Repeat(name+"/", 200)
	server := ftptest.NewServer(fstest.MapFS{path + "f": {Data: []byte("deep\n")}})
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	if got, err := get(t, f, server.URL+"/"+path+"f"); got != "deep\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if n := server.Flights(); n < 6 || n > 10 {
		t.Errorf("%d flights for %d bytes", n, len(path))
	}
}

// A TYPE may follow a refused CWD in its flight. The next transfer still has the type of its URL.
func TestTypeAfterRefusedCWD(t *testing.T) {
	tree := fstest.MapFS{"f": {Data: []byte("a\nb\n")}}
	server := ftptest.NewServer(tree)
	defer server.Close()
	f := trusting()
	defer f.CloseIdle()
	for _, path := range []string{"/f", "/nope/", "/f", "/f;type=a", "/nope/f", "/f", "/nope/f;type=a", "/f"} {
		got, err := get(t, f, server.URL+path)
		if missing := strings.Contains(path, "nope"); missing != errors.Is(err, fs.ErrNotExist) || !missing && got != "a\nb\n" {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
}

// A data port received in a flight may be blocked by a firewall, where a port received separately
// is not. Then the fetch is repeated without flights. This server answers 425 at once, so the first
// repetition makes the data connection earlier.
func TestPortOfFlightIsClosed(t *testing.T) {
	server := ftptest.NewServer(files, ftptest.Stumbles(ftptest.ClosedPort), ftptest.User("joe", "one"))
	defer server.Close()
	for _, login := range []string{"", "joe:one@"} {
		f := trusting()
		before := server.Connections()
		for _, path := range []string{"/pub/poem.txt", "/pub/deep/", "/pub/deep/a/b.txt", "/pub/deep/a/"} {
			if got, err := get(t, f, strings.Replace(server.URL, "://", "://"+login, 1)+path); got == "" || err != nil {
				t.Errorf("%s: %q, %v", path, got, err)
			}
		}
		if n := server.Connections() - before; n != 3 {
			t.Errorf("%d connections, want 3", n)
		}
		f.CloseIdle()
	}
}

// A server may check for the data connection only once, when it reads the command, and answer 425.
// Then this fetch and later ones send the command after the connection is established.
func TestCommandBeforeTheConnection(t *testing.T) {
	for _, kept := range []string{"", "/pub/poem.txt"} {
		for path, command := range map[string]string{"/pub/deep/a/b.txt": "RETR", "/pub/deep/": "MLSD", "/pub/deep;type=d": "NLST"} {
			var asked int
			var server *ftptest.Server
			f := trusting()
			f.Network = &fetchers.Network{DialData: func(ctx context.Context, network, addr string) (net.Conn, error) {
				asked = 0
				for _, line := range server.Transcript() {
					if verb, _, _ := strings.Cut(line, " "); verb == command {
						asked++
					}
				}
				return new(net.Dialer).DialContext(ctx, network, addr)
			}}
			server = ftptest.NewServer(files, ftptest.Faults(ftptest.Fault{Command: command, Do: ftptest.Say425, Once: true}))
			if kept != "" && command != "RETR" {
				get(t, f, server.URL+kept)
			}
			for _, want := range []int{1, 2} {
				if got, err := get(t, f, server.URL+path); got == "" || err != nil {
					t.Errorf("%s: %q, %v", path, got, err)
				}
				if asked != want {
					t.Errorf("%s: %d commands before the connection, want %d", path, asked, want)
				}
			}
			f.CloseIdle()
			server.Close()
		}
	}
}

// A login has the full response timeout, even if PASS was sent with USER: the server may use DNS or
// another host.
func TestSlowLogin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		f := &ftp.Fetcher{Network: &fetchers.Network{Dial: func(context.Context, string, string) (net.Conn, error) {
			dials++
			server, client := net.Pipe()
			go func() {
				defer server.Close()
				in := bufio.NewScanner(server)
				io.WriteString(server, "220 ready\r\n")
				for in.Scan() {
					switch verb, _, _ := strings.Cut(in.Text(), " "); verb {
					case "USER":
						io.WriteString(server, "331 password, please\r\n")
					case "PASS":
						time.Sleep(20 * time.Second)
						io.WriteString(server, "530 not today\r\n")
					}
				}
			}()
			return client, nil
		}}}
		_, err := f.Fetch(t.Context(), &fetchers.Request{URL: parse(t, "ftp://server.example/f")})
		if !errors.Is(err, fetchers.ErrLogin) || dials != 1 {
			t.Errorf("%d connections, %v", dials, err)
		}
	})
}
