package nntptest

import (
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
)

func TestPathFaults(t *testing.T) {
	three := "Subject: three\n folded\nFrom: joe@x.dom\nMessage-ID: <3@x.dom>\n\n..dot\n...\n.\n"
	twelve := "Message-ID: <test.misc.12@nntptest.invalid>\nSubject: twelve\n\n.\n"
	group := "211 2 3 12 test.misc\n"
	for _, c := range []struct {
		fault Fault
		say   string // lines, between "|"
		want  string
	}{
		{Fault{Path: "test.misc/3", After: 4, Do: Cut}, "GROUP test.misc|ARTICLE 12|ARTICLE 3", group + "220 12 <test.misc.12@nntptest.invalid>\n" + twelve + "220 3 <3@x.dom>\nSubj"},
		{Fault{Path: "test.misc/3", After: 4, Do: Cut}, "ARTICLE <3@x.dom>", "220 0 <3@x.dom>\nSubj"},
		{Fault{Path: "test.misc/3", Do: Say403}, "GROUP test.misc|ARTICLE|ARTICLE 12", group + "403 Internal fault.\n220 12 <test.misc.12@nntptest.invalid>\n" + twelve + goodbye},
		{Fault{Path: "test.misc/3", Do: Say400, Once: true}, "ARTICLE <3@x.dom>", "400 Service discontinued.\n"},
		{Fault{Path: "test.misc/3", After: 1, Do: Flip}, "ARTICLE <3@x.dom>|DATE x", "220 0 <3@x.dom>\n" + strings.Replace(three, "Su", "St", 1) + "111 "},
		{Fault{Path: "test.misc/3", After: 1000, Do: Cut}, "ARTICLE <3@x.dom>", "220 0 <3@x.dom>\n" + three + goodbye},
		{Fault{Command: "GROUP", Path: "test.misc", Do: Cut}, "GROUP test.empty|GROUP test.misc", "211 0 1 0 test.empty\n"},
		{Fault{Command: "over", Path: "test.misc", Do: Say403}, "GROUP test.misc|OVER 3-12|OVER <3@x.dom>", group + "403 Internal fault.\n224 The overview:\n0\tthree"},
		{Fault{Command: "HDR", Path: "test.misc/3", Do: Cut}, "GROUP test.misc|HDR Subject", group + "225 The fields:\n"},
		{Fault{Command: "STAT", Path: "test.misc/12", Do: Say403, Once: true}, "GROUP test.misc|STAT 12|STAT 12", group + "403 Internal fault.\n223 12 "},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			s := New(t, files, Faults(c.fault))
			if got := say(t, dial(t, s), strings.Split(c.say, "|")...); !strings.HasPrefix(got, greeting+c.want) {
				t.Errorf("got\n%swant\n%s", got, greeting+c.want)
			}
		})
	}
}

func TestFaultNames(t *testing.T) {
	if got := (Fault{Command: "GROUP", Path: "a", After: 2, Do: Say403, Once: true}).String(); got != "GROUP a: Say403 after 2, once" {
		t.Error(got)
	}
	defer func() {
		if recover() == nil {
			t.Error("an action that does not fit is taken")
		}
	}()
	New(t, files, Faults(Fault{Command: "GROUP", Do: Flip}))
}

func TestRequests(t *testing.T) {
	s := New(t, files, User("joe", "pw"))
	say(t, dial(t, s), "group test.misc", "AUTHINFO USER joe", "AUTHINFO PASS pw", "ARTICLE", "head 12", "STAT 99", "BODY <p@x.dom>", "OVER 3-", "LIST")
	login := func(r Request) Request {
		r.User = "joe"
		return r
	}
	want := []Request{
		{Line: "group test.misc", Command: "GROUP", Args: []string{"test.misc"}, Path: "test.misc"},
		{Line: "AUTHINFO USER joe", Command: "AUTHINFO", Args: []string{"USER", "joe"}},
		{Line: "AUTHINFO PASS pw", Command: "AUTHINFO", Args: []string{"PASS", "pw"}},
		login(Request{Line: "ARTICLE", Command: "ARTICLE", Args: []string{}, Path: "test.misc/3"}),
		login(Request{Line: "head 12", Command: "HEAD", Args: []string{"12"}, Path: "test.misc/12"}),
		login(Request{Line: "STAT 99", Command: "STAT", Args: []string{"99"}}),
		login(Request{Line: "BODY <p@x.dom>", Command: "BODY", Args: []string{"<p@x.dom>"}, Path: "test.priv/1"}),
		login(Request{Line: "OVER 3-", Command: "OVER", Args: []string{"3-"}, Path: "test.misc"}),
		login(Request{Line: "LIST", Command: "LIST", Args: []string{}}),
		login(Request{Line: "QUIT", Command: "QUIT", Args: []string{}}),
	}
	for i := range want {
		want[i].Conn = 1
	}
	if got := s.Requests(); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}

func TestFunctions(t *testing.T) {
	tries := 0
	s := New(t, files,
		Greeting("hello"),
		Login(func(name, password string) bool { return name == password }),
		ReplyFunc("group", func(r Request) (string, bool) {
			tries++
			return "403 " + r.Path, tries == 1
		}),
		Rate(1<<20),
	)
	got := say(t, dial(t, s), "GROUP test.misc", "GROUP test.misc", "AUTHINFO USER x", "AUTHINFO PASS y", "AUTHINFO USER x", "AUTHINFO PASS x", "BODY 12")
	want := "201 hello\n403 test.misc\n211 2 3 12 test.misc\n381 Password, please.\n481 Wrong user or password.\n381 Password, please.\n281 Welcome.\n222 12 <test.misc.12@nntptest.invalid>\n.\n" + goodbye
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	refusing := New(t, files, Reply("GREETING", "400 not now"))
	if got := say(t, dial(t, refusing)); got != "400 not now\n"+goodbye {
		t.Errorf("got %q", got)
	}
}

// TestIPv6AndFixedPort: the port of a server that was closed can be had again.
func TestIPv6AndFixedPort(t *testing.T) {
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip(err)
	}
	l.Close()
	first := New(t, files, Listen("[::1]:0"))
	first.Close()
	s := New(t, files, Listen(first.Addr))
	conn := dial(t, s)
	if line, err := io.ReadAll(io.LimitReader(conn, 3)); string(line) != "201" || s.Addr != first.Addr {
		t.Errorf("%s: %q, %v", s.Addr, line, err)
	}
}
