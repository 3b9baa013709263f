package nntptest

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

var files = fstest.MapFS{
	"newsgroups":    {Data: []byte("test.misc\tMiscellaneous\n")},
	"test.misc/3":   {Data: []byte("Subject: three\n folded\nFrom: joe@x.dom\nMessage-ID: <3@x.dom>\n\n.dot\n..\n")},
	"test.misc/12":  {Data: []byte("Subject: twelve\r\n\r\n")},
	"test.misc/x":   {Data: []byte("no article\n")},
	"test.empty/.k": {},
	"test.priv/1":   {Data: []byte("Subject: private\nMessage-ID: <p@x.dom>\n\np\n")},
}

// say sends lines and returns their answers, each followed by that of QUIT or the end.
func say(t *testing.T, conn net.Conn, lines ...string) string {
	t.Helper()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	io.WriteString(conn, strings.Join(append(lines, "QUIT"), "\r\n")+"\r\n")
	all, err := io.ReadAll(conn)
	if err != nil {
		t.Errorf("%q: %v", lines, err)
	}
	return strings.ReplaceAll(string(all), "\r\n", "\n")
}

func dial(t *testing.T, s *Server) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

const greeting, goodbye = "201 nntptest ready, posting prohibited.\n", "205 Goodbye.\n"

func TestConversations(t *testing.T) {
	for _, c := range []struct {
		name string
		opts []Option
		say  string // lines, between "|"
		want string
	}{
		{"a group", nil, "GROUP test.misc", "211 2 3 12 test.misc\n"},
		{"an empty group", nil, "group test.empty|STAT|OVER|NEXT", "211 0 1 0 test.empty\n420 No article is selected.\n420 No article is selected.\n420 No article is selected.\n"},
		{"no group", nil, "GROUP nope|ARTICLE 3|NEXT|OVER 1-", "411 No such group nope.\n412 No group is selected.\n412 No group is selected.\n412 No group is selected.\n"},
		{"numbers", nil, "LISTGROUP test.misc|LISTGROUP test.misc 4-|LISTGROUP test.misc 12-3", "211 2 3 12 test.misc\n3\n12\n.\n211 2 3 12 test.misc\n12\n.\n211 2 3 12 test.misc\n.\n"},
		{"an article", nil, "ARTICLE <3@x.dom>", "220 0 <3@x.dom>\nSubject: three\n folded\nFrom: joe@x.dom\nMessage-ID: <3@x.dom>\n\n..dot\n...\n.\n"},
		{"its parts", nil, "GROUP test.misc|HEAD 12|BODY 3|STAT 3|NEXT|LAST|NEXT|NEXT", "211 2 3 12 test.misc\n221 12 <test.misc.12@nntptest.invalid>\nMessage-ID: <test.misc.12@nntptest.invalid>\nSubject: twelve\n.\n222 3 <3@x.dom>\n..dot\n...\n.\n223 3 <3@x.dom>\n223 12 <test.misc.12@nntptest.invalid>\n223 3 <3@x.dom>\n223 12 <test.misc.12@nntptest.invalid>\n421 No next article.\n"},
		{"no article", nil, "GROUP test.misc|ARTICLE 4|ARTICLE <n@x>|ARTICLE x", "211 2 3 12 test.misc\n423 No article with that number.\n430 No such article.\n501 Neither a number nor a message-id.\n"},
		{"an overview", nil, "GROUP test.misc|OVER 1-5|XOVER 5-7|OVER <3@x.dom>", "211 2 3 12 test.misc\n224 The overview:\n3\tthree folded\tjoe@x.dom\t\t<3@x.dom>\t\t77\t2\tXref: nntptest test.misc:3\n.\n423 No articles in that range.\n224 The overview:\n0\tthree folded\tjoe@x.dom\t\t<3@x.dom>\t\t77\t2\tXref: nntptest test.misc:3\n.\n"},
		{"fields", nil, "GROUP test.misc|HDR subject 1-|XHDR :lines <3@x.dom>", "211 2 3 12 test.misc\n225 The fields:\n3 three folded\n12 twelve\n.\n221 The fields:\n0 2\n.\n"},
		{"lists", nil, "LIST|LIST COUNTS test.m*|LIST NEWSGROUPS *,!test.p*|LIST OVERVIEW.FMT|LIST X", "215 The groups:\ntest.empty 0000000000 0000000001 n\ntest.misc 0000000012 0000000003 n\ntest.priv 0000000001 0000000001 n\n.\n215 The groups:\ntest.misc 12 3 2 n\n.\n215 The groups:\ntest.empty\t\ntest.misc\tMiscellaneous\n.\n215 The fields:\nSubject:\nFrom:\nDate:\nMessage-ID:\nReferences:\n:bytes\n:lines\nXref:full\n.\n503 No such list.\n"},
		{"what it has", []Option{Without("OVER", "LIST COUNTS")}, "CAPABILITIES|OVER 1|MODE READER|XYZ", "101 Capabilities:\nVERSION 2\nREADER\nIMPLEMENTATION nntptest\nLIST ACTIVE NEWSGROUPS OVERVIEW.FMT\nHDR\nCOMPRESS DEFLATE\n.\n500 What?\n201 Reader mode, posting prohibited.\n500 What?\n"},
		{"nothing is posted", nil, "POST|IHAVE <a@b>", "440 Nothing is posted here.\n435 Nothing is wanted here.\n"},
		{"a login", []Option{User("joe", "pw"), Private("test.priv")}, "GROUP test.priv|ARTICLE <p@x.dom>|AUTHINFO PASS pw|AUTHINFO USER joe|AUTHINFO PASS no|AUTHINFO USER joe|AUTHINFO PASS pw|GROUP test.priv|AUTHINFO USER joe",
			"480 A login is needed for that.\n480 A login is needed for that.\n482 USER comes first.\n381 Password, please.\n481 Wrong user or password.\n381 Password, please.\n281 Welcome.\n211 1 1 1 test.priv\n502 Not now.\n"},
		{"nothing without a login", []Option{User("joe", "pw"), Private("*")}, "GROUP test.misc|AUTHINFO SASL PLAIN AGpvZQBwdw==|GROUP test.misc", "480 A login is needed.\n281 Welcome.\n211 2 3 12 test.misc\n"},
		{"TLS first", []Option{StartTLS(), RequireTLS(), User("joe", "pw")}, "GROUP test.misc|AUTHINFO USER joe|DATE x", "483 TLS comes first.\n483 TLS comes first.\n111 "},
		{"a reply of ours", []Option{Reply("GROUP test.misc", "400 gone")}, "group test.misc|GROUP test.empty", "400 gone\n211 0 1 0 test.empty\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewServer(files, c.opts...)
			defer s.Close()
			got := say(t, dial(t, s), strings.Split(c.say, "|")...)
			if !strings.HasPrefix(got, greeting+c.want) || !strings.HasSuffix(got, goodbye) {
				t.Errorf("it says\n%swant\n%s", got, greeting+c.want)
			}
			if said := strings.Join(s.Transcript(), "|"); said != c.say+"|QUIT" {
				t.Errorf("the transcript is %q", said)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for do, end := range map[Action]string{Cut: "EOF", Stall: "timeout"} {
		s := NewServer(files, Faults(Fault{After: 5, Do: do, Once: true}))
		conn := dial(t, s)
		io.WriteString(conn, "ARTICLE <3@x.dom>\r\n")
		conn.SetReadDeadline(time.Now().Add(300 * time.Millisecond))
		all, err := io.ReadAll(conn)
		if !strings.HasSuffix(string(all), "220 0 <3@x.dom>\r\nSubje") || (err == nil) != (end == "EOF") {
			t.Errorf("%s: %q, %v", end, all, err)
		}
		if got := say(t, dial(t, s), "ARTICLE <3@x.dom>"); !strings.Contains(got, "..dot\n...\n.\n205") {
			t.Errorf("%s, the second time: %q", end, got)
		}
		s.Close()
	}
}

func TestMaxConnections(t *testing.T) {
	s := NewServer(files, MaxConnections(1))
	defer s.Close()
	first := dial(t, s)
	if line, _ := bufio.NewReader(first).ReadString('\n'); !strings.HasPrefix(line, "201") {
		t.Errorf("the first is greeted with %q", line)
	}
	second := dial(t, s)
	if all, _ := io.ReadAll(second); string(all) != "502 Too many connections.\r\n" {
		t.Errorf("the second is greeted with %q", all)
	}
}

func TestTLS(t *testing.T) {
	s := NewServer(files, TLS())
	defer s.Close()
	conn := tls.Client(dial(t, s), &tls.Config{RootCAs: s.Roots(), ServerName: "127.0.0.1"})
	if got := say(t, conn, "GROUP test.misc"); !strings.Contains(got, "211 2 3 12") || !strings.HasPrefix(s.URL, "nntps://") {
		t.Errorf("%s says %q", s.URL, got)
	}
}

// reader is a conversation by the library that Python had for this.
const reader = `
import nntplib, sys
host, port = sys.argv[1].split(":")
s = nntplib.NNTP(host, int(port), user="joe", password="pw", readermode=True)
print(sorted(s.getcapabilities()))
resp, count, first, last, name = s.group("test.misc")
print(count, first, last, name)
resp, overviews = s.over((first, last))
for number, fields in overviews:
    print(number, fields["subject"], fields["message-id"], fields[":bytes"], fields[":lines"])
resp, info = s.article("<3@x.dom>")
print(info.number, info.message_id, info.lines[-2:])
print(s.descriptions("test.*")[1]["test.misc"])
print(s.xhdr("subject", "1-")[1])
print([g.group for g in s.list()[1]])
print(s.group("test.priv")[4])
s.quit()
`

const read = `['COMPRESS', 'HDR', 'IMPLEMENTATION', 'LIST', 'OVER', 'READER', 'VERSION']
2 3 12 test.misc
3 three folded <3@x.dom> 77 2
12 twelve <test.misc.12@nntptest.invalid> 64 0
0 <3@x.dom> [b'.dot', b'..']
Miscellaneous
[('3', 'three folded'), ('12', 'twelve')]
['test.empty', 'test.misc', 'test.priv']
test.priv
`

// Python's nntplib reads groups, overviews and articles of the server, as a newsreader does.
func TestNNTPLib(t *testing.T) {
	if err := exec.Command("python3", "-W", "ignore", "-c", "import nntplib").Run(); err != nil {
		t.Skip("no python3 with nntplib, which is there up to 3.12")
	}
	s := NewServer(files, User("joe", "pw"), Private("test.priv"))
	defer s.Close()
	out, err := exec.Command("python3", "-W", "ignore", "-c", reader, s.Addr).CombinedOutput()
	if got := string(out); err != nil || got != read {
		t.Errorf("%v, it prints\n%swant\n%s", err, got, read)
	}
}
