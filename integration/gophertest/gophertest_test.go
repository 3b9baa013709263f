package gophertest

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

var when = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

func files() fstest.MapFS {
	return fstest.MapFS{
		"hello.txt":      {Data: []byte("hello\n"), ModTime: when},
		"dots.txt":       {Data: []byte("one\n.\n.two\n..\nthree"), ModTime: when},
		"pub/a blank":    {Data: []byte("x"), ModTime: when},
		"pub/red.gif":    {Data: []byte("GIF89a\r\n.\r\n"), ModTime: when},
		"pub/deep/x.zip": {Data: []byte("PK"), ModTime: when},
		"empty":          {ModTime: when},
	}
}

var content = []Option{
	Menu("hand", "Welcome\n0About\t/hello.txt\n1Away\t/\tgopher.example.org\t70\n"),
	Search("find", func(words string) string { return "words: " + words + "\n" }),
	Form("pub/form", []string{"Ask: Your name?\tNobody", "Note: thanks"}, func(lines []string) string {
		if lines == nil {
			return "not filled\n"
		}
		return strings.Join(lines, "|") + "\n"
	}),
	View("report", "Text/plain", "En_US", "English\n"),
	View("report", "Text/plain", "De_DE", "Deutsch\n"),
	View("report", "application/postscript", "", "%!PS"),
	Attribute("hello.txt", "ABSTRACT", "says hello", "and no more"),
}

// Each case is a request, and the answer to it to the last octet.
func TestAnswers(t *testing.T) {
	const nowhere = "\t\terror.host\t1\r\n"
	for name, test := range map[string]struct {
		opts          []Option
		request, want string
	}{
		"a text":                         {nil, "/hello.txt\r\n", "hello\n.\r\n"},
		"LF alone, and no slash":         {nil, "hello.txt\n", "hello\n.\r\n"},
		"a text without a line end":      {nil, "/dots.txt\r\n", "one\n.\n.two\n..\nthree\r\n.\r\n"},
		"stuffed as RFC 1436 has it":     {[]Option{Stuff(StuffAll)}, "/dots.txt\r\n", "one\n..\n..two\n...\nthree\r\n.\r\n"},
		"stuffed as in Minnesota":        {[]Option{Stuff(StuffDot)}, "/dots.txt\r\n", "one\n..\n.two\n..\nthree\r\n.\r\n"},
		"no dot":                         {[]Option{NoDot()}, "/dots.txt\r\n", "one\n.\n.two\n..\nthree"},
		"an empty text":                  {nil, "/empty\r\n", ".\r\n"},
		"a picture":                      {nil, "/pub/red.gif\r\n", "GIF89a\r\n.\r\n"},
		"a menu":                         {nil, "/pub\r\n", "0a blank\t/pub/a blank\tHOST\t+\r\n1deep\t/pub/deep\tHOST\t+\r\n0form\t/pub/form\tHOST\t?\r\ngred.gif\t/pub/red.gif\tHOST\t+\r\n.\r\n"},
		"a menu by hand":                 {nil, "/hand\r\n", "iWelcome" + nowhere + "0About\t/hello.txt\tHOST\r\n1Away\t/\tgopher.example.org\t70\r\n.\r\n"},
		"a search":                       {nil, "/find\ttwo words\r\n", "iwords: two words" + nowhere + ".\r\n"},
		"a search of Gopher+":            {nil, "/find\t+\t+\r\n", "+-1\r\niwords: +" + nowhere + ".\r\n"},
		"what is missing":                {nil, "/nope\r\n", "3'/nope' does not exist" + nowhere + ".\r\n"},
		"what is outside":                {nil, "/../../etc/passwd\r\n", "3'/../../etc/passwd' does not exist" + nowhere + ".\r\n"},
		"Gopher+, counted":               {nil, "/hello.txt\t+\r\n", "+6\r\nhello\n"},
		"Gopher+, two TABs":              {nil, "/hello.txt\t\t+\r\n", "+6\r\nhello\n"},
		"Gopher+, two TABs refused":      {[]Option{OneTab()}, "/hello.txt\t\t+\r\n", "3Malformed command" + nowhere + ".\r\n"},
		"Gopher+, by dot":                {[]Option{Lengths(ByDot)}, "/hello.txt\t+\r\n", "+-1\r\nhello\n.\r\n"},
		"Gopher+, by close":              {[]Option{Lengths(ByClose)}, "/hello.txt\t+\r\n", "+-2\r\nhello\n"},
		"Gopher+, missing":               {nil, "/nope\t+\r\n", "--1\r\n1 gophertest <gopher@example.org>\r\n'/nope' does not exist\r\n.\r\n"},
		"Gopher+ that is not understood": {[]Option{Plain()}, "/hello.txt\t+\r\n", "hello\n.\r\n"},
		"the first view":                 {nil, "/report\t+\r\n", "+8\r\nEnglish\n"},
		"a view":                         {nil, "/report\t+text/plain de_de\r\n", "+8\r\nDeutsch\n"},
		"a view that there is not":       {nil, "/report\t+image/gif\r\n", "+8\r\nEnglish\n"},
		"attributes":                     {nil, "/hello.txt\t!\r\n", "+-1\r\n+INFO: 0hello.txt\t/hello.txt\tHOST\t+\r\n+ADMIN:\r\n Admin: gophertest <gopher@example.org>\r\n Mod-Date: Sat Feb  3 04:05:06 2001 <20010203040506>\r\n+VIEWS:\r\n Text/plain: <0k>\r\n+ABSTRACT:\r\n says hello\r\n and no more\r\n.\r\n"},
		"some attributes":                {nil, "/report\t!+VIEWS +ABSTRACT\r\n", "+-1\r\n+INFO: 0report\t/report\tHOST\t+\r\n+VIEWS:\r\n Text/plain En_US: <0k>\r\n Text/plain De_DE: <0k>\r\n application/postscript: <0k>\r\n.\r\n"},
		"attributes of a directory":      {nil, "/pub/deep\t$+VIEWS\r\n", "+-1\r\n+INFO: 9x.zip\t/pub/deep/x.zip\tHOST\t+\r\n+VIEWS:\r\n application/octet-stream: <0k>\r\n.\r\n"},
		"attributes of no directory":     {nil, "/hello.txt\t$\r\n", "--1\r\n1 gophertest <gopher@example.org>\r\nthat is not a directory\r\n.\r\n"},
		"a form that is not filled":      {nil, "/pub/form\t+\r\n", "+11\r\nnot filled\n"},
		"a form":                         {nil, "/pub/form\t+\t1\r\n+-1\r\nAl\r\n\r\n.\r\n", "+4\r\nAl|\n"},
		"a form with a dot at the start": {nil, "/pub/form\t+\t1\r\n+-1\r\n.\r\n", "+1\r\n\n"},
		"a reply":                        {[]Option{Reply("/hello.txt\t!", "+-1\r\n")}, "/hello.txt\t!\r\n", "+-1\r\n"},
		"cut":                            {[]Option{Faults(Fault{After: 4, Do: Cut})}, "/hello.txt\t+\r\n", "+6\r\n"},
		"cut later than the end":         {[]Option{Faults(Fault{After: 400, Do: Reset})}, "/hello.txt\t+\r\n", "+6\r\nhello\n"},
		"slow":                           {[]Option{Rate(200)}, "/hello.txt\t+\r\n", "+6\r\nhello\n"},
		"a fault of another":             {[]Option{Faults(Fault{Path: "/x", Do: Cut})}, "/hello.txt\t+\r\n", "+6\r\nhello\n"},
	} {
		t.Run(name, func(t *testing.T) {
			server := NewServer(files(), append(test.opts, content...)...)
			defer server.Close()
			got, err := exchange(server, test.request)
			if err != nil {
				t.Fatal(err)
			}
			host, port, _ := net.SplitHostPort(server.Addr)
			want := strings.ReplaceAll(test.want, "HOST", host+"\t"+port)
			if got != want {
				t.Errorf("%q\nis answered\n%q, want\n%q", test.request, got, want)
			}
			if r := server.Transcript(); len(r) != 1 || r[0] != test.request {
				t.Errorf("the requests are %q", r)
			}
		})
	}
}

// exchange sends a request in pieces, and returns all that comes.
func exchange(server *Server, request string) (string, error) {
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	for len(request) > 0 {
		n := min(3, len(request))
		io.WriteString(conn, request[:n])
		request = request[n:]
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}

func TestHalfClose(t *testing.T) {
	server := NewServer(files())
	defer server.Close()
	conn, err := net.Dial("tcp", server.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "/hello.txt")
	conn.(*net.TCPConn).CloseWrite()
	if got, err := io.ReadAll(conn); string(got) != "hello\n.\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func TestReset(t *testing.T) {
	server := NewServer(files(), Faults(Fault{After: 2, Do: Reset, Once: true}))
	defer server.Close()
	if got, err := exchange(server, "/hello.txt\r\n"); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("%q, %v, want a reset", got, err)
	}
	if got, err := exchange(server, "/hello.txt\r\n"); got != "hello\n.\r\n" || err != nil {
		t.Errorf("the second time: %q, %v", got, err)
	}
}

// Close does not wait for a client that waits for the server.
func TestCloseDoesNotWaitForClients(t *testing.T) {
	for name, want := range map[Action]string{Stall: "he", Hold: "hello\n.\r\n"} {
		server := NewServer(files(), Faults(Fault{After: 2, Do: name}))
		conn, err := net.Dial("tcp", server.Addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "/hello.txt\r\n")
		p := make([]byte, len(want))
		if _, err := io.ReadFull(conn, p); string(p) != want || err != nil {
			t.Errorf("%q, %v, want %q", p, err, want)
		}
		conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
		if n, err := conn.Read(p); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%d octets more, %v", n, err)
		}
		server.Close()
		conn.Close()
	}
}

func TestTLS(t *testing.T) {
	server := NewServer(files(), TLS())
	defer server.Close()
	if !strings.HasPrefix(server.URL, "gophers://127.0.0.1:") {
		t.Errorf("the URL is %s", server.URL)
	}
	conn, err := tls.Dial("tcp", server.Addr, &tls.Config{RootCAs: server.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "/hello.txt\r\n")
	if got, err := io.ReadAll(conn); string(got) != "hello\n.\r\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := exchange(server, "/hello.txt\r\n"); got != "hello\n.\r\n" || err != nil {
		t.Errorf("in clear: %q, %v", got, err)
	}
}

// A request that is too long has no answer.
func TestLongRequest(t *testing.T) {
	server := NewServer(files())
	defer server.Close()
	got, err := exchange(server, strings.Repeat("x", maxRequest+3))
	if got != "" || err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
		t.Errorf("%q, %v", got, err)
	}
	if r := server.Transcript(); len(r) != 0 {
		t.Errorf("the requests are %q", r)
	}
}
