package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A client is as raw as the tests of the player need it.
type client struct {
	*testing.T
	net.Conn
	r *bufio.Reader
}

func dial(t *testing.T, addr string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	return &client{T: t, Conn: conn, r: bufio.NewReader(conn)}
}

func (c *client) send(text string) {
	c.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.Error(err)
	}
}

// line wants the server's next line to be text.
func (c *client) line(text string) {
	c.Helper()
	got, err := c.r.ReadString('\n')
	if got != text+"\r\n" {
		c.Errorf("got %q, %v, want the line %q", got, err, text)
	}
}

// rest returns the bytes that arrive until the server closes.
func (c *client) rest() string {
	c.Helper()
	got, err := io.ReadAll(c.r)
	if err != nil {
		c.Error(err)
	}
	return string(got)
}

// dataPort reads a line and returns the address of the port in it.
func (c *client) dataPort() string {
	c.Helper()
	line, err := c.r.ReadString('\n')
	if err != nil {
		c.Fatal(err)
	}
	if m := regexp.MustCompile(`\|\|\|(\d+)\|`).FindStringSubmatch(line); m != nil {
		return "127.0.0.1:" + m[1]
	}
	var hi, lo int
	_, after, _ := strings.Cut(line, "(")
	if _, err := fmt.Sscanf(after, "127,0,0,1,%d,%d)", &hi, &lo); err != nil {
		c.Fatalf("no port in %q", line)
	}
	return fmt.Sprintf("127.0.0.1:%d", hi<<8|lo)
}

func parse(t *testing.T, steps string) *Script {
	t.Helper()
	s, err := Parse([]byte("-- wire --\n" + steps))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestPlay has clients that send all they have at once and read to the end, or
// keep the connection open. Line 1 is the section's marker.
func TestPlay(t *testing.T) {
	tests := []struct {
		name   string
		steps  string
		client string
		open   bool   // the client does not close
		want   string // in the difference; "" is none
	}{
		{name: "a line", steps: "C: a\n", client: "a\r\n"},
		{name: "a line with escapes", steps: `C: \x61\\\t` + "\n", client: "a\\\t\r\n"},
		{name: "an empty line", steps: "C:\n", client: "\r\n"},
		{name: "bytes", steps: `C- \xff\0` + "\nC: a\n", client: "\xff\x00a\r\n"},
		{name: "remarks", steps: "# none\n\nC: a\n   \n# none", client: "a\r\n"},
		{name: "a client that stays", steps: "C: a\n", client: "a\r\n", open: true},
		{name: "another line", steps: "S: x\nC: a\n", client: "b\r\n", want: `line 3: want "a\r\n", got "b\r\n"`},
		{name: "more than the line", steps: "C: a\n", client: "ab\r\nc\r\n", want: `line 2: want "a\r\n", got "ab\r\n"`},
		{name: "a line that ends in a bare LF", steps: "C: a\n", client: "a\n", want: `line 2: want "a\r\n", got "a\n"`},
		{name: "other bytes", steps: `C- \xff\xfb` + "\n", client: "\xff\xfd", open: true, want: `line 2: want "\xff\xfb", got "\xff\xfd"`},
		{name: "a line cut short", steps: "C: abc\n", client: "ab", want: `got "ab" and then the end of the connection`},
		{name: "no line", steps: "C: a\n", want: `line 2: want "a\r\n", got the end of the connection`},
		{name: "silence", steps: "C: a\n", open: true, want: `line 2: want "a\r\n", got nothing for 100ms`},
		{name: "half a line and silence", steps: "C: abc\n", client: "ab", open: true, want: `got "ab" and then nothing for 100ms`},
		{name: "a line without end", steps: "C: a\n", client: strings.Repeat("x", maxLine+1), want: `line 2: want "a\r\n", got "xxx`},
		{name: "a byte after the end", steps: "C: a\n", client: "a\r\nb", want: `line 2: want nothing more, got "b"`},
		{name: "a byte where nothing is wanted", steps: "S: x\n", client: "b", open: true, want: `line 2: want nothing more, got "b"`},

		{name: "an optional line sent", steps: "C: a\nC? q\n", client: "a\r\nq\r\n"},
		{name: "an optional line sent by a client that stays", steps: "C: a\nC? q\n", client: "a\r\nq\r\n", open: true},
		{name: "an optional line left out", steps: "C: a\nC? q\nS: bye\n", client: "a\r\n"},
		{name: "an optional line left out by a client that stays", steps: "C: a\nC? q\n", client: "a\r\n", open: true},
		{name: "an optional line before another", steps: "C? o\nS: yes\nC: a\n", client: "o\r\na\r\n"},
		{name: "the other without it", steps: "C? o\nS: yes\nC: a\n", client: "a\r\n"},
		{name: "the other without both", steps: "C? o\nC? p\nC- a\n", client: "a"},
		{name: "none of them", steps: "C? o\nS: yes\nC: a\n", client: "x\r\n", want: `line 4: want "o\r\n" or "a\r\n", got "x\r\n"`},
		{name: "only the optional one", steps: "C? o\nC: a\n", client: "o\r\n", want: `line 3: want "a\r\n", got the end`},
		{name: "neither in time", steps: "C? o\nC: a\n", open: true, want: `line 3: want "o\r\n" or "a\r\n", got nothing for 100ms`},
		{name: "something else at the end", steps: "C? q\n", client: "x\r\n", want: `line 2: want "q\r\n" or nothing, got "x\r\n"`},
		{name: "half of it at the end", steps: "C? quit\n", client: "qu", want: `line 2: want "quit\r\n" or nothing, got "qu" and then the end`},
		{name: "something after it", steps: "C? q\nS: bye\n", client: "q\r\nx", want: `line 3: want nothing more, got "x"`},

		{name: "a client that stays in a stall", steps: "C: a\n! stall\n", client: "a\r\n", open: true, want: "line 3: the client has not closed its connection in 200ms"},
		{name: "data without a port", steps: "S: 150\nD: x\n", want: `line 3: "D: x", but no DATAPORT was sent for it`},
		{name: "data without a client", steps: "S: DATAPORT\nD: x\n", open: true, want: "line 3: want a data connection, got none for 100ms"},
		{name: "a connection less", steps: "C: a\n! connection\nC: b\n", client: "a\r\n", want: "line 3: the client has come no further in 200ms"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := parse(t, tt.steps)
			s.Patience = 100 * time.Millisecond
			p := Play(t, s)
			c := dial(t, p.Addr())
			c.Write([]byte(tt.client)) // fails when the player has seen enough
			if !tt.open {
				c.Conn.(*net.TCPConn).CloseWrite()
			}
			err := p.Wait()
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("Wait = %v, want %q\n%s", err, tt.want, p.Transcript())
			}
		})
	}
}

func TestPlayConversation(t *testing.T) {
	s, err := ReadFile("../../testdata/wire/_example/nlst.txt")
	if err != nil {
		t.Fatal(err)
	}
	p := Play(t, s)
	if got, want := p.Expand(s.Section("url")), "ftp://"+p.Addr()+"/pub/maps;type=d\n"; got != want {
		t.Errorf("the URL is %q, want %q", got, want)
	}
	c := dial(t, p.Addr())
	c.line("220 ready")
	c.send("USER anonymous\r\n")
	c.line("331 password please")
	c.send("PASS guest@example.test\r\n")
	c.line("230 logged in")
	c.send("CWD pub\r\n")
	c.line("250 ok")
	c.send("EPSV\r\n")
	addr := c.dataPort()
	data := dial(t, addr)
	c.send("NLST maps\r\n")
	c.line("150 here it comes")
	if got := data.rest(); got != "a.txt\r\ncaf\xe9.txt\r\n" {
		t.Errorf("data = %q", got)
	}
	c.line("226 done")
	c.send("QUIT\r\n")
	c.line("221 goodbye")
	c.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}

	_, port, _ := net.SplitHostPort(addr)
	want := "! connection\n" + s.Section("wire") + "# the client closed\n"
	want = strings.Replace(want, "# Not every client asks for the modern form first.\nC? EPSV ALL\nS: 200 ok\n", "", 1)
	want = strings.NewReplacer("C?", "C:", "DATAPORT", port).Replace(want)
	if got := p.Transcript(); got != want {
		t.Errorf("Transcript:\n%s\nwant:\n%s", got, want)
	}
}

func TestPlayReplacesTheAddress(t *testing.T) {
	p := Play(t, parse(t, "C: Host: SERVER\nS: SERVERPORT \\x53ERVER\n"))
	c := dial(t, p.Addr())
	c.send("Host: " + p.Addr() + "\r\n")
	_, port, _ := net.SplitHostPort(p.Addr())
	c.line(port + " SERVER")
	c.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPlayRepeats(t *testing.T) {
	p := Play(t, parse(t, "S* 100000 ab\\n\n! close\n"))
	c := dial(t, p.Addr())
	if got := c.rest(); got != strings.Repeat("ab\n", 100000) {
		t.Errorf("got %d bytes, want 300000", len(got))
	}
	if !strings.Contains(p.Transcript(), "S* 100000 ab\\n\n") {
		t.Errorf("Transcript:\n%s", p.Transcript())
	}
}

func TestPlayData(t *testing.T) {
	p := Play(t, parse(t, `S: 227 Entering Passive Mode (DATAPASV).
D- a
D* 3 b
D- \n
S: 226 done
S: 229 again (|||DATAPORT|)
D-
S: 226 empty
S: 229 once more (|||DATAPORT|)
C: RETR
D: half
! data reset
S: 426 aborted
S: 229 a stall (|||DATAPORT|)
D: first
! data stall
C: ABOR
D: last
! data close
S: 226 aborted
`))
	c := dial(t, p.Addr())
	data := dial(t, c.dataPort())
	if got := data.rest(); got != "abbb\n" {
		t.Errorf("data = %q", got)
	}
	c.line("226 done")
	data = dial(t, c.dataPort())
	if got := data.rest(); got != "" {
		t.Errorf("data = %q, want none", got)
	}
	c.line("226 empty")
	data = dial(t, c.dataPort())
	c.send("RETR\r\n")
	if _, err := io.ReadAll(data); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("after ! data reset: %v", err)
	}
	c.line("426 aborted")
	data = dial(t, c.dataPort())
	data.line("first")
	c.send("ABOR\r\n")
	if got := data.rest(); got != "last\r\n" {
		t.Errorf("data = %q", got)
	}
	c.line("226 aborted")
	c.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPlayClientLeavesEarly(t *testing.T) {
	// More than any buffer between the two holds.
	p := Play(t, parse(t, "S: 229 (|||DATAPORT|)\nD* 50000000 x\nS: 226 done\nC? QUIT\n"))
	c := dial(t, p.Addr())
	data := dial(t, c.dataPort())
	data.Read(make([]byte, 10))
	data.Close()
	c.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPlayClientDoesNotRead(t *testing.T) {
	s := parse(t, "S* 50000000 x\n")
	s.Patience = 100 * time.Millisecond
	p := Play(t, s)
	dial(t, p.Addr())
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "line 2: want the client to read") {
		t.Errorf("Wait = %v", err)
	}
}

func TestPlayEndsOfConnections(t *testing.T) {
	tests := []struct {
		verb string
		then func(c *client)
	}{
		{"! close", func(c *client) {
			if got := c.rest(); got != "" {
				c.Errorf("got %q", got)
			}
			c.send("too late\r\n") // which is no difference
		}},
		{"! reset", func(c *client) {
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
				c.Errorf("got %v", err)
			}
		}},
		{"! stall", func(c *client) {
			c.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if n, err := c.Read(make([]byte, 1)); n > 0 || !err.(net.Error).Timeout() {
				c.Errorf("got %d bytes, %v", n, err)
			}
			c.send("hello?\r\n")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.verb, func(t *testing.T) {
			t.Parallel()
			p := Play(t, parse(t, "S: 220 ready\nC: go\n"+tt.verb+"\n! connection\nS: 220 again\n"))
			c := dial(t, p.Addr())
			c.line("220 ready")
			c.send("go\r\n")
			tt.then(c)
			c.Close()
			c = dial(t, p.Addr())
			c.line("220 again")
			c.Close()
			if err := p.Wait(); err != nil {
				t.Errorf("%v\n%s", err, p.Transcript())
			}
		})
	}
}

func TestPlayKeepsConnectionsWithOptionalEnds(t *testing.T) {
	p := Play(t, parse(t, "S: 1\nC? QUIT\nS: bye 1\n! connection\nS: 2\nC? QUIT\nS: bye 2\n"))
	one := dial(t, p.Addr())
	one.line("1")
	two := dial(t, p.Addr())
	two.line("2")
	one.send("QUIT\r\n")
	one.line("bye 1")
	two.send("QUIT\r\n")
	two.line("bye 2")
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPlayOneConnectionMore(t *testing.T) {
	p := Play(t, parse(t, "S: 220 ready\n"))
	dial(t, p.Addr()).line("220 ready")
	dial(t, p.Addr())
	if err := p.Wait(); err == nil || err.Error() != "line 2: want no more connections, got one" {
		t.Errorf("Wait = %v", err)
	}
}

func TestPlayNoConnection(t *testing.T) {
	p := Play(t, parse(t, "# the client must see that this is hopeless\n"))
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	dial(t, p.Addr())
	if err := p.Wait(); err == nil || err.Error() != "line 1: want no more connections, got one" {
		t.Errorf("Wait = %v", err)
	}
}

func TestPlayReportsAMissingConnection(t *testing.T) {
	s := parse(t, "\nS: 220 ready\n")
	s.Patience = 20 * time.Millisecond
	p := Play(t, s)
	if err := p.Wait(); err == nil || err.Error() != "line 3: the client has come no further in 40ms" {
		t.Errorf("Wait = %v", err)
	}
}

func TestCloseReportsLaterDifferences(t *testing.T) {
	p, err := Start(parse(t, "C: a\n"))
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, p.Addr())
	c.send("b\r\n")
	if got := c.rest(); got != "" {
		t.Errorf("got %q", got)
	}
	if err := p.Close(); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("Close = %v", err)
	}
	if err := p.Close(); err != nil {
		t.Errorf("Close said it twice: %v", err)
	}
	if err := p.Wait(); err == nil {
		t.Error("Wait has forgotten the difference")
	}
}

func TestCloseInTheMiddle(t *testing.T) {
	p, err := Start(parse(t, "S: 220 ready\n! stall\n"))
	if err != nil {
		t.Fatal(err)
	}
	dial(t, p.Addr()).line("220 ready")
	if err := p.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}

	p, err = Start(parse(t, "C: a\n"))
	if err != nil {
		t.Fatal(err)
	}
	dial(t, p.Addr())
	if err := p.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := p.Wait(); err == nil || !strings.Contains(err.Error(), "line 2: the player was closed") {
		t.Errorf("Wait = %v", err)
	}
}
