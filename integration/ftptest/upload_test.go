package ftptest

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// stored starts a server that takes uploads, and returns its directory too.
func stored(t *testing.T, opts ...Option) (*Server, *os.Root) {
	t.Helper()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	if err := root.WriteFile("old", []byte("0123456789"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := root.Mkdir("dir", 0o777); err != nil {
		t.Fatal(err)
	}
	return New(t, root.FS(), append(opts, Store(root))...), root
}

// put runs an upload, and returns the error of writing.
func (c *client) put(server *Server, command, data string) error {
	c.t.Helper()
	conn := c.passive(server)
	c.talk(command, "150")
	_, err := io.WriteString(conn, data)
	conn.Close()
	return err
}

func TestUpload(t *testing.T) {
	for _, c := range []struct {
		name   string
		before []string // commands and how their replies begin, in turn
		send   string
		data   string
		file   string
		want   string
	}{
		{"a new file", []string{"TYPE I", "200"}, "STOR new", "a\r\nb", "new", "a\r\nb"},
		{"text has the line ends of the server", nil, "STOR new", "a\r\nb\r\r\n\r", "new", "a\nb\r\n\r"},
		{"an empty file", nil, "STOR new", "", "new", ""},
		{"another file is replaced", []string{"TYPE I", "200"}, "STOR old", "abc", "old", "abc"},
		{"from an offset on", []string{"TYPE I", "200", "REST 8", "350"}, "STOR old", "abc", "old", "01234567abc"},
		{"at the end", []string{"TYPE I", "200"}, "APPE old", "abc", "old", "0123456789abc"},
		{"at the end of no file", []string{"TYPE I", "200"}, "APPE new", "abc", "new", "abc"},
		{"in a directory", []string{"CWD dir", "250"}, "STOR new", "abc", "dir/new", "abc"},
		{"under a name of the server", nil, "STOU", "abc", "stou.1", "abc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server, root := stored(t)
			client := login(t, server)
			for i := 0; i < len(c.before); i += 2 {
				client.talk(c.before[i], c.before[i+1])
			}
			if err := client.put(server, c.send, c.data); err != nil {
				t.Error(err)
			}
			client.expect("226")
			if got, err := root.ReadFile(c.file); string(got) != c.want || err != nil {
				t.Errorf("%s has %q, %v, want %q", c.file, got, err, c.want)
			}
			if got, _ := client.get(server, "NLST"); strings.Contains(c.file, "/") != !strings.Contains(got, c.file) {
				t.Errorf("NLST: %q", got)
			}
		})
	}
}

func TestStoreCommands(t *testing.T) {
	server, root := stored(t)
	c := login(t, server)
	for _, step := range [][2]string{
		{"ALLO 5", "202"},
		{`MKD new "dir"`, `257 "/new ""dir""" created.`}, {"MKD dir", "550 There is one already."}, {"MKD", "501"},
		{"RNTO x", "503"}, {"RNFR none", "550"}, {"RNFR old", "350"}, {"RNTO dir/new", "250"}, {"RNTO y", "503"},
		{"DELE dir", "550"}, {"RMD dir/new", "550"}, {"RMD dir", "550"},
		{"DELE ../../dir/new", "250"}, {"DELE dir/new", "550"}, {"RMD dir", "250"},
		{"STOR none/x", "550"}, {"STOR", "501"}, {"STOR .", "550"},
	} {
		c.talk(step[0], step[1])
	}
	if _, err := root.Stat("dir"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("dir is there: %v", err)
	}
}

// For each fault of an upload, the client gets a reply and the server stores part of the file.
func TestUploadFaults(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		reply string // empty for the end of the control connection
		want  string
	}{
		{Fault{After: 4, Do: Lie226}, "226", "abcd"},
		{Fault{After: 4, Do: Say552}, "552", "abcd"},
		{Fault{After: 4, Do: Say426}, "426", "abcd"},
		{Fault{After: 4, Do: Say451}, "451", "abcd"},
		{Fault{After: 4, Do: Cut}, "", "abcd"},
		{Fault{After: 4, Do: Flip}, "226", "abcddf"},
		{Fault{After: 6, Do: Extra}, "226", "abcdefx"},
		{Fault{After: 7, Do: Say552}, "226", "abcdef"},
		{Fault{Path: "/new", Do: Say552}, "552", ""},
		{Fault{Path: "old", Do: Say552}, "226", "abcdef"},
	} {
		c.fault.Command = "STOR"
		t.Run(c.fault.String(), func(t *testing.T) {
			server, root := stored(t, Faults(c.fault))
			client := login(t, server)
			if err := client.put(server, "STOR new", "abcdef"); err != nil && !errors.Is(err, syscall.EPIPE) && !errors.Is(err, syscall.ECONNRESET) {
				t.Error(err)
			}
			if c.reply != "" {
				client.expect(c.reply)
			} else if line, err := client.ReadLine(); err == nil {
				t.Errorf("got %q, want the end", line)
			}
			if got, err := root.ReadFile("new"); string(got) != c.want || err != nil {
				t.Errorf("stored is %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

// TestUploadStalls: the server reads nothing more until ABOR.
func TestUploadStalls(t *testing.T) {
	server, _ := stored(t, Faults(Fault{Command: "stor", After: 4, Do: Stall}))
	c := login(t, server)
	conn := c.passive(server)
	c.talk("STOR new", "150")
	io.WriteString(conn, "abcdef")
	c.send("ABOR")
	c.expect("426")
	c.expect("226")
	if n, err := conn.Read(make([]byte, 1)); n > 0 || err == nil || errors.Is(err, net.ErrClosed) {
		t.Errorf("the data connection: %d, %v, want its end", n, err)
	}
}

func TestNothingIsWritten(t *testing.T) {
	c := login(t, newServer(t))
	for _, line := range []string{"STOR x", "APPE hello.txt", "STOU", "DELE hello.txt", "MKD x", "RMD pub", "RNFR hello.txt", "RNTO x"} {
		c.talk(line, "550 Permission denied, nothing is written here.")
	}
	c.talk("ALLO 5", "502")
}
