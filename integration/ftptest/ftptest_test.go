package ftptest

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// Each case is a conversation: commands of the client, each with the beginning of the reply.
func TestCommands(t *testing.T) {
	type step struct{ send, want string }
	anonymous := []step{{"USER anonymous", "331 "}, {"PASS me@", "230 "}}
	after := func(steps ...step) []step { return append(slices.Clone(anonymous), steps...) }

	for name, test := range map[string]struct {
		opts  []Option
		steps []step
	}{
		"anonymous is also called ftp": {
			steps: []step{{"user FTP", "331 "}, {"pass", "230 "}, {"PWD", "257 "}},
		},
		"a user has one password": {
			opts: []Option{User("joe", "secret"), User("ann", "other")},
			steps: []step{
				{"USER joe", "331 "}, {"PASS other", "530 "}, {"PASS secret", "503 "}, {"PWD", "530 "},
				{"USER joe", "331 "}, {"PASS secret", "230 "}, {"PWD", "257 "},
				{"USER ann", "331 "}, {"PWD", "530 "},
			},
		},
		"an unknown user is refused like a wrong password": {
			steps: []step{{"USER nobody", "331 "}, {"PASS x", "530 "}},
		},
		"no anonymous": {
			opts:  []Option{NoAnonymous(), User("joe", "secret")},
			steps: []step{{"USER anonymous", "331 "}, {"PASS me@", "530 "}, {"USER joe", "331 "}, {"PASS secret", "230 "}},
		},
		"before login": {
			steps: []step{
				{"NOOP", "200 "}, {"SYST", "215 UNIX Type: L8"}, {"FEAT", "211 "}, {"AUTH TLS", "502 "},
				{"PASS x", "503 "}, {"RETR hello.txt", "530 "}, {"EPSV", "530 "}, {"STOR x", "530 "}, {"QUIT", "221 "},
			},
		},
		"FEAT lists the features": {
			steps: []step{{"FEAT", "211 Features:\n EPRT\n EPSV\n MDTM\n MLST type*;size*;modify*;UNIX.mode*;\n REST STREAM\n SIZE\n TVFS\n UTF8\nEnd."}},
		},
		"FEAT lists nothing that is missing": {
			opts: []Option{Without("mlsd", "EPSV"), Without("SIZE")},
			steps: after(
				step{"FEAT", "211 Features:\n EPRT\n MDTM\n REST STREAM\n TVFS\n UTF8\nEnd."},
				step{"MLSD", "502 "}, step{"EPSV", "502 "}, step{"SIZE hello.txt", "502 "},
			),
		},
		"directories": {
			steps: after(
				step{"PWD", `257 "/" is`},
				step{"CWD pub", "250 "}, step{"PWD", `257 "/pub" is`},
				step{"CWD deep/er", "250 "}, step{"PWD", `257 "/pub/deep/er" is`},
				step{"CWD ../..", "250 "}, step{"PWD", `257 "/pub" is`},
				step{"CDUP", "250 "}, step{"CDUP", "250 "}, step{"PWD", `257 "/" is`},
				step{`CWD say "hi"`, "250 "}, step{"PWD", `257 "/say ""hi""" is`},
				step{"CWD /pub/", "250 "}, step{"CWD missing", "550 "}, step{"CWD a", "550 "}, step{"CWD", "501 "}, step{"CWD ", "501 "},
				step{"PWD", `257 "/pub" is`},
				step{"CWD ../../../../etc", "250 "}, step{"PWD", `257 "/etc" is`},
			),
		},
		"home is not the root": {
			opts: []Option{Home("home/joe")},
			steps: after(
				step{"PWD", `257 "/home/joe" is`},
				step{"CWD etc", "250 "}, step{"PWD", `257 "/home/joe/etc" is`},
				step{"CWD /etc", "250 "}, step{"PWD", `257 "/etc" is`},
			),
		},
		"types": {
			steps: after(
				step{"TYPE I", "200 "}, step{"TYPE L 8", "200 "}, step{"type a", "200 "}, step{"TYPE A N", "200 "},
				step{"TYPE A T", "504 "}, step{"TYPE E", "504 "}, step{"TYPE", "504 "},
				step{"MODE S", "200 "}, step{"MODE B", "504 "}, step{"STRU F", "200 "}, step{"STRU R", "504 "},
			),
		},
		"SIZE and MDTM": {
			steps: after(
				step{"SIZE hello.txt", "550 "}, step{"MDTM hello.txt", "213 20200229230506"},
				step{"TYPE I", "200 "},
				step{"SIZE hello.txt", "213 12"}, step{"size /pub/../hello.txt", "213 12"}, step{"SIZE ../../hello.txt", "213 12"},
				step{"SIZE pub/b c;d", "213 0"}, step{"SIZE pub/\u00e4", "213 6"}, step{"SIZE Hello.txt", "550 "},
				step{"SIZE pub", "550 "}, step{"SIZE", "550 "}, step{"SIZE missing", "550 "},
				step{"MDTM pub", "550 "}, step{"MDTM missing", "550 "}, step{"MDTM timeless", "550 "},
				step{"SIZE not\xffutf8", "550 "},
			),
		},
		"REST": {
			steps: after(
				step{"REST 5", "501 "}, step{"TYPE I", "200 "},
				step{"REST 5", "350 Restarting at 5."}, step{"REST -1", "501 "}, step{"REST x", "501 "},
				step{"REST 99999999999999999999", "501 "},
				step{"REST 13", "350 "}, step{"RETR hello.txt", "554 "}, step{"RETR hello.txt", "425 "},
			),
		},
		"a transfer needs a data connection": {
			steps: after(step{"RETR hello.txt", "425 "}, step{"NLST", "425 "}, step{"MLSD", "425 "}, step{"LIST -la pub", "425 "}),
		},
		"a transfer needs a file": {
			steps: after(
				step{"EPSV", "229 "}, step{"RETR missing", "550 "}, step{"RETR pub", "550 "}, step{"RETR", "550 "},
				step{"NLST missing", "550 "}, step{"LIST missing", "550 "}, step{"MLSD missing", "550 "}, step{"MLSD hello.txt", "501 "},
			),
		},
		"MLST": {
			steps: after(
				step{"MLST hello.txt", "250 Listing.\n type=file;size=12;modify=20200229230506;UNIX.mode=0644; /hello.txt\nEnd."},
				step{"CWD pub", "250 "},
				step{"MLST", "250 Listing.\n type=dir;UNIX.mode=0555; /pub\nEnd."},
				step{"MLST b c;d", "250 Listing.\n type=file;size=0;modify=20200229230506;UNIX.mode=0444; /pub/b c;d\nEnd."},
				step{"MLST missing", "550 "},
			),
		},
		"addresses": {
			steps: after(
				step{"PASV", "227 Entering Passive Mode (127,0,0,1,"}, step{"EPSV 1", "229 "}, step{"EPSV 2", "522 "},
				step{"PORT 127,0,0,1,4,5", "200 "}, step{"PORT 127,0,0,2,4,5", "501 "}, step{"PORT 127,0,0,1,0,0", "501 "},
				step{"PORT 127,0,0,1,256,5", "501 "}, step{"PORT 1,2,3", "501 "}, step{"PORT", "501 "},
				step{"EPRT |1|127.0.0.1|1029|", "200 "}, step{"EPRT !1!127.0.0.1!1029!", "200 "},
				step{"EPRT |1|192.0.2.1|1029|", "501 "}, step{"EPRT |2|::1|1029|", "522 "},
				step{"EPRT |1|127.0.0.1|99999|", "501 "}, step{"EPRT |1|", "501 "}, step{"EPRT", "501 "},
			),
		},
		"the rest": {
			steps: after(
				step{"OPTS UTF8 ON", "200 "}, step{"opts utf8 on", "200 "}, step{"OPTS MLST type;", "501 "},
				step{"STAT", "211 Status:\n Logged in as anonymous\n In /\nEnd."}, step{"STAT pub", "504 "}, step{"HELP", "214 "},
				step{"ABOR", "226 "}, step{"\xff\xf4\xff\xf2ABOR", "226 "},
				step{"XYZZY", "500 "}, step{"", "500 "}, step{" RETR", "500 "},
			),
		},
		"nothing is written": {
			steps: after(
				step{"STOR x", "550 "}, step{"APPE x", "550 "}, step{"STOU", "550 "}, step{"DELE hello.txt", "550 "}, step{"MKD x", "550 "},
				step{"RMD pub", "550 "}, step{"RNFR hello.txt", "550 "}, step{"RNTO x", "550 "}, step{"SITE CHMOD 777 pub", "502 "},
			),
		},
		"scripted replies": {
			opts: []Option{Reply("cwd pub", "550 no"), Reply("SIZE", "213 99999"), Reply("PASS wrong", "421 go away"), Reply("SIZE hello.txt", "213 1")},
			steps: []step{
				{"SIZE x", "213 99999"}, {"USER ftp", "331 "}, {"PASS wrong", "421 go away"}, {"PASS right", "230 "},
				{"cwd pub", "550 no"}, {"CWD pub/deep", "550 no"}, {"CWD /pub", "250 "}, {"SIZE hello.txt", "213 99999"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := connect(t, newServer(t, test.opts...))
			for _, step := range test.steps {
				c.talk(step.send, step.want)
			}
		})
	}
}

func TestGreeting(t *testing.T) {
	server := newServer(t, Greeting("Welcome.\n220 not the end\nReady."))
	c := connect(t, server)
	c.talk("NOOP", "200 ")

	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	want := "220-Welcome.\r\n 220 not the end\r\n220 Ready.\r\n"
	got := make([]byte, len(want))
	if _, err := io.ReadFull(conn, got); err != nil || string(got) != want {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestTransfers(t *testing.T) {
	for name, test := range map[string]struct {
		before  []string // commands that succeed
		command string
		want    string
	}{
		"the type is A at first":     {nil, "RETR hello.txt", "hello\r\nworld\r\n"},
		"CR LF is left alone":        {[]string{"TYPE A"}, "RETR crlf.txt", "one\r\ntwo\r\n\r\nthree"},
		"TYPE I":                     {[]string{"TYPE I"}, "RETR crlf.txt", "one\r\ntwo\n\nthree"},
		"REST":                       {[]string{"TYPE I", "REST 6"}, "RETR hello.txt", "world\n"},
		"REST at the end":            {[]string{"TYPE I", "REST 12"}, "RETR hello.txt", ""},
		"REST is forgotten by TYPE":  {[]string{"TYPE I", "REST 6", "TYPE I"}, "RETR hello.txt", "hello\nworld\n"},
		"a relative name":            {[]string{"CWD pub"}, "RETR deep/../a", "0123456789"},
		"an absolute name":           {[]string{"CWD pub"}, "RETR /etc/host", "absolute"},
		"an empty file":              {nil, "RETR pub/b c;d", ""},
		"NLST":                       {nil, "NLST", "crlf.txt\r\netc\r\nhello.txt\r\nhome\r\npub\r\nsay \"hi\"\r\ntimeless\r\n"},
		"NLST of another directory":  {nil, "NLST pub", "a\r\nb c;d\r\ndeep\r\n\u00e4\r\n"},
		"NLST of a file":             {nil, "NLST pub/a", "pub/a\r\n"},
		"NLST in TYPE I":             {[]string{"TYPE I"}, "NLST etc", "host\r\n"},
		"LIST of a file":             {nil, "LIST pub/a", "-rw-r-----   1 ftp      ftp                10 Feb 29  2020 pub/a\r\n"},
		"LIST with options":          {nil, "LIST -l -a home", "dr-xr-xr-x   1 ftp      ftp                 0 Jan  1  1970 joe\r\n"},
		"LIST without a name":        {[]string{"CWD pub/deep/er"}, "LIST -a", "----------   1 ftp      ftp                 1 Jan  1  1970 x\r\n"},
		"MLSD of the root":           {[]string{"CWD home"}, "MLSD /etc/..", "type=cdir;UNIX.mode=0555; .\r\n" + rootFacts},
		"MLSD of the work directory": {[]string{"CWD pub/deep/er"}, "MLSD", "type=cdir;UNIX.mode=0555; .\r\ntype=pdir;UNIX.mode=0555; ..\r\ntype=file;size=1;UNIX.mode=0000; x\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			server := newServer(t)
			c := login(t, server)
			for _, line := range test.before {
				c.send(line)
				if reply := c.reply(); reply[0] > '3' {
					t.Fatalf("%s: %s", line, reply)
				}
			}
			got, err := c.get(server, test.command)
			if err != nil || got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
			c.expect("226 ")
		})
	}
}

const rootFacts = "type=file;size=15;modify=20200229230506;UNIX.mode=0600; crlf.txt\r\n" +
	"type=dir;UNIX.mode=0555; etc\r\n" +
	"type=file;size=12;modify=20200229230506;UNIX.mode=0644; hello.txt\r\n" +
	"type=dir;UNIX.mode=0555; home\r\n" +
	"type=dir;UNIX.mode=0555; pub\r\n" +
	"type=dir;UNIX.mode=0555; say \"hi\"\r\n" +
	"type=file;size=1;UNIX.mode=0000; timeless\r\n"

func TestListLine(t *testing.T) {
	now := time.Date(2024, 7, 1, 12, 0, 0, 0, time.UTC)
	cest := time.FixedZone("CEST", 2*60*60)
	fsys := fstest.MapFS{
		"recent": {Mode: 0o755, Data: make([]byte, 1234), ModTime: time.Date(2024, 6, 9, 1, 30, 0, 0, cest)},
		"old":    {Mode: 0o644, ModTime: now.AddDate(0, -6, -1)},
		"future": {Mode: 0o644, ModTime: now.Add(time.Hour)},
	}
	for name, want := range map[string]string{
		"recent": "-rwxr-xr-x   1 ftp      ftp              1234 Jun  8 23:30 recent",
		"old":    "-rw-r--r--   1 ftp      ftp                 0 Dec 31  2023 old",
		"future": "-rw-r--r--   1 ftp      ftp                 0 Jul  1  2024 future",
	} {
		info, err := fsys.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := listLine(name, info, now); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestTranscriptAndCounts(t *testing.T) {
	server := newServer(t, User("joe", "secret"))
	c := connect(t, server)
	c.talk("USER joe", "331 ")
	c.talk("PASS secret", "230 ")
	connect(t, server).talk("quit", "221 ")

	// Both line ends count, and a bare CR does not.
	c.W.WriteString("CWD x\r\nDELE y\nCWD a\rb\r\n")
	c.W.Flush()
	c.expect("550 ")
	c.expect("550 ")
	c.expect("550 ")

	want := []string{"USER joe", "PASS secret", "quit", "CWD x", "DELE y", "CWD a\rb"}
	if got := server.Transcript(); !slices.Equal(got, want) {
		t.Errorf("Transcript() = %q, want %q", got, want)
	}
	if got := server.Logins(); got != 1 {
		t.Errorf("Logins() = %d, want 1", got)
	}
	if got := server.Connections(); got != 2 {
		t.Errorf("Connections() = %d, want 2", got)
	}
}

func TestLongLine(t *testing.T) {
	c := login(t, newServer(t))
	c.talk("CWD "+strings.Repeat("x", maxLine-len("CWD \r\n")), "550 ")
	c.talk("CWD "+strings.Repeat("x", 2*maxLine), "500 ")
	if line, err := c.ReadLine(); err != io.EOF {
		t.Errorf("after a long line: %q, %v, want EOF", line, err)
	}
}

func TestEmptyReplySendsNothing(t *testing.T) {
	c := login(t, newServer(t, Reply("EPSV", "")))
	c.send("EPSV")
	c.talk("NOOP", "200 ") // The next reply belongs to the next command.
}

func TestWithoutSizeReply150HasNone(t *testing.T) {
	for _, test := range []struct {
		opts []Option
		want string
	}{
		{nil, "150 Opening BINARY mode data connection (4 bytes)."},
		{[]Option{Without("SIZE")}, "150 Opening BINARY mode data connection."},
	} {
		server := newServer(t, test.opts...)
		c := login(t, server)
		c.talk("TYPE I", "200 ")
		c.passive(server)
		c.talk("REST 6", "350 ")
		c.talk("RETR pub/a", test.want)
	}
}

func TestManyClients(t *testing.T) {
	data := make([]byte, 200<<10)
	for i := range data {
		data[i] = byte(i * 7 >> 3)
	}
	server := NewServer(fstest.MapFS{"big": {Data: data}})
	defer server.Close()

	const clients = 30
	var wg sync.WaitGroup
	for range clients {
		c := login(t, server)
		wg.Go(func() {
			c.talk("TYPE I", "200 ")
			for range 3 {
				got, err := c.get(server, "RETR big")
				if err != nil || !bytes.Equal([]byte(got), data) {
					t.Errorf("%d octets, %v", len(got), err)
				}
				c.expect("226 ")
			}
			c.talk("QUIT", "221 ")
		})
	}
	wg.Wait()
	if got := server.Logins(); got != clients {
		t.Errorf("Logins() = %d, want %d", got, clients)
	}
	if got := len(server.Transcript()); got != clients*(2+1+2*3+1) {
		t.Errorf("%d lines in the transcript", got)
	}
}

func TestCloseEndsEverything(t *testing.T) {
	server := NewServer(files(), Faults(Fault{Do: Stall}))
	idle := login(t, server)
	waiting := login(t, server)
	waiting.talk("EPSV", "229 ")
	waiting.send("RETR hello.txt") // And no data connection.
	stalled := login(t, server)
	conn := stalled.passive(server)
	stalled.talk("RETR hello.txt", "150 ")

	closed := make(chan struct{})
	go func() {
		server.Close()
		server.Close()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(10 * time.Second):
		t.Fatal("Close hangs")
	}
	for name, r := range map[string]io.Reader{"idle": idle.R, "waiting": waiting.R, "stalled": stalled.R, "data": conn} {
		if _, err := io.Copy(io.Discard, r); isTimeout(err) {
			t.Errorf("the %s connection is open after Close", name)
		}
	}
	if _, err := net.Dial("tcp", server.Addr); err == nil {
		t.Error("the port is open after Close")
	}
}

func TestNewServerAddress(t *testing.T) {
	server := newServer(t)
	if want := fmt.Sprintf("ftp://%s", server.Addr); server.URL != want {
		t.Errorf("URL = %s, want %s", server.URL, want)
	}
}
