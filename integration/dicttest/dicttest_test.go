package dicttest_test

import (
	"fmt"
	"net/textproto"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/dicttest"
)

var files = fstest.MapFS{
	"wn/00-database-short": {Data: []byte("WordNet\n")},
	"wn/00-database-info":  {Data: []byte(".about it\n")},
	"wn/sun":               {Data: []byte("a star\n.\n")},
	"wn/sugar":             {Data: []byte("it is sweet\n")},
	"foldoc/Sun":           {Data: []byte("a company\n")},
	"private/sun":          {Data: []byte("hush\n")},
}

// ask sends a command, and returns all that comes up to the last reply.
func ask(t *testing.T, conn *textproto.Conn, command string) string {
	t.Helper()
	conn.PrintfLine("%s", command)
	var all []string
	for {
		line, err := conn.ReadLine()
		if err != nil {
			t.Fatal(command, err)
		}
		all = append(all, line)
		switch code := line[:min(3, len(line))]; {
		case code == "150":
		case code[0] == '1':
			text, err := conn.ReadDotLines()
			if err != nil {
				t.Fatal(command, err)
			}
			all = append(all, text...)
		default:
			return strings.Join(all, "|")
		}
	}
}

func TestCommands(t *testing.T) {
	s := dicttest.New(t, files, dicttest.User("joe", "secret"), dicttest.Private("private"), dicttest.Without("HELP"), dicttest.Reply("STATUS", "210 busy"))
	conn, err := textproto.Dial("tcp", s.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if banner, _ := conn.ReadLine(); banner != "220 dicttest <mime.auth> <1@dicttest>" {
		t.Error(banner)
	}
	for _, c := range []struct{ command, want string }{
		{"client me", "250 ok"},
		{`DEFINE * "SUN"`, `150 2 definitions retrieved|151 "Sun" foldoc "foldoc"|a company|151 "sun" wn "WordNet"|a star|.|250 ok`},
		{"DEFINE ! sun", `150 1 definitions retrieved|151 "Sun" foldoc "foldoc"|a company|250 ok`},
		{"DEFINE wn moon", "552 no match"},
		{"DEFINE private sun", "550 invalid database, use SHOW DB for list"},
		{"DEFINE wn", "501 illegal parameters"},
		{"MATCH wn . su", `152 2 matches found|wn "sugar"|wn "sun"|250 ok`},
		{"MATCH wn suffix N", `152 1 matches found|wn "sun"|250 ok`},
		{"MATCH wn magic su", "551 invalid strategy, use SHOW STRAT for a list"},
		{"SHOW DB", `110 2 databases present|foldoc "foldoc"|wn "WordNet"|250 ok`},
		{"SHOW INFO wn", "112 information for wn|.about it|250 ok"},
		{"SHOW INFO x", "550 invalid database, use SHOW DB for list"},
		{"SHOW SERVER", "114 server information|dicttest, for tests.|250 ok"},
		{"AUTH joe x", "531 access denied"},
		{"AUTH joe " + proof, "230 authenticated"},
		{"DEFINE private sun", `150 1 definitions retrieved|151 "sun" private "private"|hush|250 ok`},
		{"STATUS", "210 busy"},
		{"HELP", "502 command not implemented"},
		{"NOOP", "500 unknown command"},
		{"QUIT", "221 bye"},
	} {
		if got := ask(t, conn, c.command); got != c.want {
			t.Errorf("%s: %s, want %s", c.command, got, c.want)
		}
	}
	if r := s.Requests()[1]; r.Command != "DEFINE" || fmt.Sprint(r.Args) != "[* SUN]" || s.Connections() != 1 {
		t.Errorf("%+v, %d connections", r, s.Connections())
	}
}

// A fault strikes once, after its After octets.
func TestFaults(t *testing.T) {
	s := dicttest.New(t, files, dicttest.Faults(dicttest.Fault{Path: "wn/sun", After: 2, Do: dicttest.Cut, Once: true}))
	for _, want := range []string{"a ", "a star\r\n..\r\n.\r\n250 ok\r\n"} {
		conn, err := textproto.Dial("tcp", s.Addr)
		if err != nil {
			t.Fatal(err)
		}
		conn.ReadLine()
		conn.PrintfLine("DEFINE wn sun")
		conn.PrintfLine("QUIT")
		var all []byte
		for {
			b, err := conn.R.ReadByte()
			if err != nil {
				break
			}
			all = append(all, b)
		}
		conn.Close()
		if _, text, _ := strings.Cut(string(all), "WordNet\"\r\n"); !strings.HasPrefix(text, want) || want == "a " && text != want {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

const proof = "751d973d59e979df8c9697c598b68672" // the MD5 of "<1@dicttest>secret"
