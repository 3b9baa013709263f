package main

import (
	"io"
	nethttp "net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/mattn/go-runewidth"

	"github.com/seed1ea3422f/fetch/integration/ftptest"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
	"github.com/seed1ea3422f/fetch/integration/nntptest"
	"github.com/seed1ea3422f/fetch/integration/sftptest"
	"github.com/seed1ea3422f/fetch/integration/z3950test"
	"github.com/seed1ea3422f/fetch/internal/pty"
)

// atTerminal runs the command at a pseudo-terminal.
func atTerminal(t *testing.T, args ...string) *pty.Terminal {
	t.Helper()
	return atTerminalOf(t, 100, "xterm-256color", args...)
}

// atTerminalOf runs the command at a pseudo-terminal of a width and a kind.
func atTerminalOf(t *testing.T, width int, kind string, args ...string) *pty.Terminal {
	t.Helper()
	cmd := exec.Command("fetch", args...)
	cmd.Env = append(os.Environ(), "TERM="+kind, "LANG=C.UTF-8", "GORACE=atexit_sleep_ms=0")
	return pty.Start(t, cmd, width, 30)
}

// shows requires that the command leaves exactly want on the terminal, and succeeds.
func shows(t *testing.T, term *pty.Terminal, want string) {
	t.Helper()
	if status := term.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
	want = strings.ReplaceAll(want, "\n", "\r\n")
	if got := term.Screen(); got != want {
		t.Errorf("it shows %q, want %q", got, want)
	}
}

// TestTable: the entries of a listing are in columns that fit the terminal, however
// wide their characters are.
func TestTable(t *testing.T) {
	long := strings.Repeat("long-", 10) + "2.0.tar.gz"
	server := ftptest.NewServer(fstest.MapFS{
		"pub/a.txt":           {Data: []byte("hello, ftp\n"), ModTime: when},
		"pub/b\x1b[2J":        {Data: make([]byte, 2000), ModTime: when},
		"pub/deep/file.txt":   {Data: []byte("deep\n"), ModTime: when},
		"pub/e\u0301te\u0301": {Data: make([]byte, 150_000), ModTime: when},
		"pub/" + long:         {Data: []byte("x"), ModTime: when},
		"pub/日本語":             {Data: []byte("x"), ModTime: when},
	})
	defer server.Close()
	url := server.URL + "/pub/"
	for _, c := range []struct {
		width int
		want  string
	}{
		{80, "document     11 B  2001-02-03 04:05  a.txt\n" +
			"document  2.0 KiB  2001-02-03 04:05  b\\x1b[2J\n" +
			"listing         -  -                 deep\n" +
			"document  146 KiB  2001-02-03 04:05  e\u0301te\u0301\n" +
			"document      1 B  2001-02-03 04:05  long-long-long-long-l…-long-long-2.0.tar.gz\n" +
			"  " + url + long + "\n" +
			"document      1 B  2001-02-03 04:05  日本語\n"},
		{40, "document     11 B  a.txt\n" +
			"document  2.0 KiB  b\\x1b[2J\n" +
			"listing         -  deep\n" +
			"document  146 KiB  e\u0301te\u0301\n" +
			"document      1 B  long-long-…2.0.tar.gz\n" +
			"  " + url + long + "\n" +
			"document      1 B  日本語\n"},
		{25, "document  a.txt\n" +
			"document  b\\x1b[2J\n" +
			"listing   deep\n" +
			"document  e\u0301te\u0301\n" +
			"document  long-lo….tar.gz\n" +
			"  " + url + long + "\n" +
			"document  日本語\n"},
	} {
		shows(t, atTerminalOf(t, c.width, "dumb", "ls", url), c.want)
		for l := range strings.Lines(c.want) {
			if n := runewidth.StringWidth(strings.TrimSpace(l)); n > c.width && !strings.Contains(l, url) {
				t.Errorf("%q is %d columns wide", l, n)
			}
		}
	}
}

// TestTableURLs: if the name of an entry does not show its URL, the URL stands beside the name or
// below it.
func TestTableURLs(t *testing.T) {
	server := gophertest.NewServer(fstest.MapFS{}, gophertest.Plain(), gophertest.Menu("/menu",
		"iWelcome to a line that is longer than the terminal\t\t\t0\n"+
			"i\t\t\t0\n"+
			"0One\t/one\tg.example\t70\n"+
			"1A directory\t/dir\tg.example\t70\n"+
			"0A name that needs more room than there is\t/three\tg.example\t70\n"))
	defer server.Close()
	shows(t, atTerminalOf(t, 50, "dumb", "ls", server.URL+"/1/menu"),
		"Welcome to a line that is longer than the terminal\n"+
			"\n"+
			"1  document  One          gopher://g.example/0/one\n"+
			"2  listing   A directory  gopher://g.example/1/dir\n"+
			"3  document  A name that needs …room than there is\n"+
			"             gopher://g.example/0/three\n")
}

// TestNewsgroup: the listing of a group shows the subject, the author and the time of each article,
// in any character set.
func TestNewsgroup(t *testing.T) {
	server := nntptest.NewServer(fstest.MapFS{
		"test.misc/1": {Data: []byte("From: =?iso-8859-1?q?J=F6rg?= <joerg@h.example>\nSubject: =?koi8-r?B?7dXa2cvB?=\n" +
			"Date: Sat, 03 Feb 2001 04:05:06 +0000\nMessage-ID: <1@h.example>\n\nhello\n")},
		"test.misc/2": {Data: []byte("From: joe@h.example (=?utf-8?q?Jo=1B[2J?=)\nSubject: =?iso-2022-jp?B?GyRCRnxLXBsoQg==?=\n" +
			"Date: Sat, 03 Feb 2001 04:05:06 +0000\nMessage-ID: <2@h.example>\n\nhello\n")},
	})
	defer server.Close()
	for width, want := range map[int]string{
		80: "document  156 B  2001-02-03 04:05  Jörg       Музыка  news:1@h.example\n" +
			"document  164 B  2001-02-03 04:05  Jo\\x1b[2J  日本    news:2@h.example\n",
		40: "document  Jörg      Музыка\n" +
			"                    news:1@h.example\n" +
			"document  Jo\\…b[2J  日本\n" +
			"                    news:2@h.example\n",
	} {
		shows(t, atTerminalOf(t, width, "dumb", "ls", "--news-server", server.Addr, "news:test.misc"), want)
	}
}

// TestMARC: a terminal shows a record of MARC as a line for each field, and a list of records by
// their titles. With --raw the record is written as it was sent.
func TestMARC(t *testing.T) {
	files := catalogFiles()
	server := z3950test.NewServer(files)
	defer server.Close()
	record := strings.Replace(server.URL, "s:", "r:", 1) + "/garden?bees.mrc"
	shows(t, atTerminalOf(t, 80, "dumb", record),
		"00106nam a2200061 a 4500\n001    42\n100 1  $a Virgil,\n245 10 $a The Georgics. Bees / $c by\n")
	shows(t, atTerminalOf(t, 26, "dumb", record),
		"00106nam a2200061 a 4500\n001    42\n100 1  $a Virgil,\n245 10 $a The Georgics.\n       Bees / $c by\n")
	shows(t, atTerminalOf(t, 80, "dumb", "--raw", record), string(files["garden/bees.mrc"].Data))
	shows(t, atTerminalOf(t, 80, "dumb", server.URL+"/garden?title=bees"),
		"document  Virgil  The Georgics. Bees\n                  "+server.URL+"/garden?title%3Dbees;pos=1\n"+
			"document          record 2\n                  "+server.URL+"/garden?title%3Dbees;pos=2\n")
}

// TestArticle: a terminal shows some header fields of a message, its decoded text, and a line for
// each other part. With --raw, and with -o -, the message is written as it was sent.
func TestArticle(t *testing.T) {
	const sent = "Path: a!b\nFrom: =?iso-8859-1?q?J=F6rg=1B[2J?= <joerg@h.example>\nSubject: =?koi8-r?B?7dXa2cvB?=\nDate: Sat, 03 Feb 2001 04:05:06 +0000\n" +
		"Newsgroups: test.misc\nMessage-ID: <1@h.example>\nContent-Type: multipart/mixed; boundary=b\n\n" +
		"--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9 \x1b[31m\n" +
		"--b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9\n" +
		"--b\nContent-Type: image/png; name=\"=?utf-8?q?=E6=97=A5.png?=\"\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo=\n--b--\n"
	const want = "From: Jörg\\x1b[2J <joerg@h.example>\nSubject: Музыка\nDate: Sat, 03 Feb 2001 04:05:06 +0000\nNewsgroups: test.misc\n\n" +
		"café \n\n[malformed message: quotedprintable: invalid unescaped byte 0x1b in body]\n\ncafé\n\n[日.png, image/png, 8 B]\n[--raw shows the message as it was sent]\n"
	server := nntptest.NewServer(fstest.MapFS{"test.misc/1": {Data: []byte(sent)}})
	defer server.Close()
	for _, args := range [][]string{
		{server.URL + "/test.misc/1"}, {"--news-server", server.Addr, "news:1@h.example"}, {"--news-server", server.Addr, "mid:1@h.example"},
	} {
		shows(t, atTerminalOf(t, 80, "dumb", args...), want)
	}
	shows(t, atTerminalOf(t, 80, "dumb", "--raw", server.URL+"/test.misc/1"), strings.ReplaceAll(sent, "\n", "\r\n"))
	shows(t, atTerminalOf(t, 80, "dumb", "-o", "-", server.URL+"/test.misc/1"), strings.ReplaceAll(sent, "\n", "\r\n"))
	colourful := atTerminal(t, server.URL+"/test.misc/1")
	colourful.Await("\x1b[2mFrom:\x1b[0m Jörg\\x1b[2J")
	colourful.Await("\x1b[2m[日.png, image/png, 8 B]\x1b[0m")

	// An article that is cut short is shown as far as it arrived, with an error.
	cutting := nntptest.NewServer(fstest.MapFS{"test.misc/1": {Data: []byte("Subject: s\nMessage-ID: <1@h.example>\n\n" + strings.Repeat("text\n", 100))}},
		nntptest.Faults(nntptest.Fault{After: 200, Do: nntptest.Cut}))
	defer cutting.Close()
	cut := atTerminalOf(t, 80, "dumb", "--retry", "0", cutting.URL+"/test.misc/1")
	cut.Await("Subject: s\r\n\r\ntext\r")
	cut.Await("tex\r\nfetch: ")
	if status := cut.Wait(); status != 18 || strings.Contains(cut.Screen(), "[") {
		t.Errorf("exit status %d; it shows %q", status, cut.Screen())
	}

	// A mailto URL is the draft of a message.
	draft := atTerminalOf(t, 80, "dumb", "mailto:joe@h.example?subject=caf%C3%A9")
	draft.Await("Subject: =?utf-8?q?caf=C3=A9?=")
}

// TestColors: a terminal with colours shows them unless the user objects. A pipe never gets them.
func TestColors(t *testing.T) {
	server := ftptest.NewServer(fstest.MapFS{"pub/deep/file.txt": {Data: []byte("x")}})
	defer server.Close()
	url := server.URL + "/pub/"
	shows(t, atTerminal(t, "ls", url), "listing  \x1b[1;34mdeep\x1b[0m\n")
	shows(t, atTerminalOf(t, 80, "dumb", "ls", url), "listing  deep\n")
	shows(t, atTerminalOf(t, 80, "", "ls", url), "listing  deep\n")
	term := atTerminal(t, "ls", server.URL+"/missing/")
	term.Await("\x1b[1;31mfetch:\x1b[0m ")
	t.Setenv("NO_COLOR", "1")
	shows(t, atTerminal(t, "ls", url), "listing  deep\n")
	t.Setenv("NO_COLOR", "")
	out, err := exec.Command("fetch", "ls", url).Output()
	if want := "listing\t-\t-\tdeep\t" + url + "deep/\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v; want %q", out, err, want)
	}
}

// TestTextAsItArrives: a terminal shows each piece of a long text as it arrives, in any character
// set.
func TestTextAsItArrives(t *testing.T) {
	seen := make(chan struct{})
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=iso-8859-1")
		for _, line := range []string{"caf\xe9\n", "two\n"} {
			io.WriteString(w, line)
			w.(nethttp.Flusher).Flush()
			<-seen
		}
	}))
	defer server.Close()
	defer close(seen)
	term := atTerminal(t, server.URL)
	for _, line := range []string{"café", "two"} {
		term.Await(line)
		seen <- struct{}{}
	}
	if status := term.Wait(); status != 0 {
		t.Errorf("exit status %d", status)
	}
}

// TestBinaryGuard: a binary is not written to a terminal, unless the user insists.
func TestBinaryGuard(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, _ *nethttp.Request) {
		io.WriteString(w, "\x00\x01\x02\x7f")
	}))
	defer server.Close()
	term := atTerminal(t, server.URL)
	if status := term.Wait(); status != 23 {
		t.Errorf("exit status %d, want 23", status)
	}
	term.Await("use -o FILE, or -o - if you mean it")
	if strings.ContainsRune(term.Screen(), 0) {
		t.Errorf("it shows %q", term.Screen())
	}
	shows(t, atTerminal(t, "-o", "-", server.URL), "\x00\x01\x02\x7f")
	shows(t, atTerminal(t, "--raw", server.URL), "\x00\x01\x02\x7f")
}

// TestDeceptiveText: a character that would hide a part of a text on the terminal, or is
// invisible, is written as an escape, unless --raw is given.
func TestDeceptiveText(t *testing.T) {
	const text = "curl http://h | sh\rharmless           \r\n" +
		"a\u200bb\u2028c\u00add\U000e0041e\ufefff\u202eg\x1b[2K\n" +
		"\tmay \u200cbe می\u200cخواهم 👩\u200d👧 ❤\ufe0f\n"
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if r.URL.Path == "/pages/" {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<title>Index of /pages/</title><h1>Index of /pages/</h1><a href=\"a%E2%80%8Bb%0D%F3%A0%81%81\">x</a>")
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, text)
	}))
	defer server.Close()
	shows(t, atTerminal(t, server.URL), `curl http://h | sh\rharmless           `+"\r\n"+
		`a\u200bb\u2028c\xadd\U000e0041e\ufefff\u202eg\x1b[2K`+"\n"+
		"\tmay \\u200cbe می\u200cخواهم 👩\u200d👧 ❤\ufe0f\n")
	shows(t, atTerminal(t, "--raw", server.URL), text)
	shows(t, atTerminalOf(t, 80, "dumb", "ls", server.URL+"/pages/"), `document  a\u200bb\r\U000e0041`+"\n")
}

// TestPassword: the command asks at the terminal for the missing part of a login, and does not show
// the password.
func TestPassword(t *testing.T) {
	server := httptest.NewServer(nethttp.HandlerFunc(func(w nethttp.ResponseWriter, r *nethttp.Request) {
		if user, password, _ := r.BasicAuth(); user != "joe" || password != "s3cret" {
			w.Header().Set("WWW-Authenticate", "Basic realm=\"the \u202e club\"")
			w.WriteHeader(nethttp.StatusUnauthorized)
			return
		}
		io.WriteString(w, "welcome\n")
	}))
	defer server.Close()

	term := atTerminal(t, server.URL)
	before := term.First()
	term.Await(`user name for the \u202e club at 127.0.0.1: `)
	term.Type("joe\n")
	term.Await("password of joe for ")
	awaitEcho(t, term, false)
	term.Type("s3cret\n")
	term.Await("welcome\r\n")
	if status := term.Wait(); status != 0 || term.State() != before {
		t.Errorf("exit status %d; the terminal is %v, and was %v", status, term.State(), before)
	}
	if strings.Contains(term.Screen(), "s3cret") {
		t.Errorf("it shows %q", term.Screen())
	}

	// A ^C ends the question and leaves the terminal as it was.
	for _, answers := range []string{"", "joe\n"} {
		term := atTerminal(t, server.URL)
		before := term.First()
		term.Await("user name for ")
		if answers != "" {
			term.Type(answers)
			term.Await("password of joe for ")
			awaitEcho(t, term, false)
		}
		term.Type("\x03")
		if status := term.Wait(); status != 130 || term.State() != before {
			t.Errorf("after %q: exit status %d; the terminal is %v, and was %v", answers, status, term.State(), before)
		}
	}

	// If standard input is the list of URLs, the command asks no question.
	term = atTerminal(t, "-i", "-", "-v")
	term.Type(server.URL + "\n\x04")
	if status := term.Wait(); status != 22 || strings.Contains(term.Screen(), "user name") {
		t.Errorf("exit status %d; it shows %q", status, term.Screen())
	}
}

// TestServerQuestion: a question of a server stands behind the user and the server, whatever it
// looks like, and blanks do not push them away.
func TestServerQuestion(t *testing.T) {
	for text, shown := range map[string]string{
		"passphrase of ~/.ssh/id_ed25519: ":                               "passphrase of ~/.ssh/id_ed25519: ",
		"password of joe for bank.example: ":                              "password of joe for bank.example: ",
		strings.Repeat(" ", 5000) + "\npassphrase of ~/.ssh/id_ed25519: ": "passphrase of ~/.ssh/id_ed25519: ",
		"Code\x1b[2J: ": `Code\x1b[2J: `,
	} {
		server := sftptest.New(t, fstest.MapFS{"a": {Data: []byte("welcome\n")}}, sftptest.Instruction(""),
			sftptest.Question("Password: ", "s3cret"), sftptest.Question(text, "123456"))
		known := filepath.Join(t.TempDir(), "known_hosts")
		if err := os.WriteFile(known, []byte(server.KnownHosts()), 0o600); err != nil {
			t.Fatal(err)
		}
		term := atTerminal(t, "--knownhosts", known, "-u", "joe:s3cret", server.URL+"/a")
		term.Await("joe at [" + strings.Replace(server.Addr, ":", "]:", 1) + ": " + shown)
		awaitEcho(t, term, false)
		term.Type("123456\n")
		term.Await("welcome\r\n")
		if status := term.Wait(); status != 0 {
			t.Errorf("%q: exit status %d; it shows %q", text, status, term.Screen())
		}
	}
}

// awaitEcho waits until the terminal echoes typed characters, or does not.
func awaitEcho(t *testing.T, term *pty.Terminal, want bool) {
	t.Helper()
	for range 1000 {
		if term.State().Lflag&syscall.ECHO != 0 == want {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the terminal echoes: %v", !want)
}

// TestHelpAtTerminal: help is as wide as the terminal.
func TestHelpAtTerminal(t *testing.T) {
	term := atTerminalOf(t, 40, "dumb", "help", "exit-codes")
	term.Await("\r\n  18    cut short: less arrived than was\r\n        announced, or the end was not\r\n        confirmed\r\n")
	term = atTerminalOf(t, 80, "dumb", "schemes")
	term.Await("gopher        70  a document, a menu, or an index to search (RFC 1738 3.4, RFC\r\n                  4266, RFC 1436)\r\n")
}
