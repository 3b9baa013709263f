package fault_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/fault"
	"github.com/seed1ea3422f/fetch/integration/gophertest"
)

// text is the content of a file of type 0, and menu has the lines of a menu, without the dot.
var (
	text = []byte(strings.Repeat("a line of text\n", 4000))
	menu = strings.Repeat("0an entry\t/x\tgood.test\t70\r\n", 100)
)

// isText and isMenu have the accepted versions of a whole text and a whole menu: with LF or CR LF,
// and with the dot or without it.
var (
	isText = [][]byte{text, wired(text)}
	isMenu = [][]byte{[]byte(menu), []byte(menu + ".\r\n")}
)

func wired(text []byte) []byte { return []byte(strings.ReplaceAll(string(text), "\n", "\r\n")) }

// selects makes a server that reads one line and then talks, and a URL for an item of
// it.
func selects(item string, talk func(*net.TCPConn)) func(*scene) string {
	return func(s *scene) string {
		return "gopher://" + s.listen(func(c *net.TCPConn) {
			if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
				return
			}
			talk(c)
		}) + item
	}
}

func sends(item string, octets ...string) func(*scene) string {
	return selects(item, func(c *net.TCPConn) { io.WriteString(c, strings.Join(octets, "")) })
}

// opens sends and does not close.
func opens(item string, octets ...string) func(*scene) string {
	return selects(item, func(c *net.TCPConn) {
		io.WriteString(c, strings.Join(octets, ""))
		io.Copy(io.Discard, c)
	})
}

// gopherCut makes a server of the tree with a fault.
func gopherCut(item string, f gophertest.Fault) func(*scene) string {
	return func(s *scene) string {
		server := gophertest.NewServer(fstest.MapFS{"f.bin": {Data: v1.data}, "f.txt": {Data: text}}, gophertest.Faults(f))
		s.Cleanup(server.Close)
		return server.URL + item
	}
}

// refuses makes a server to which no client may connect.
func refuses(item string) func(*scene) string {
	return func(s *scene) string { return "gopher://" + s.forbidden() + item }
}

// secure makes a server of gophers, and if its end is hidden a proxy before it.
func secure(hide bool, faults ...gophertest.Fault) func(*scene) string {
	return func(s *scene) string {
		server := gophertest.NewServer(fstest.MapFS{"f.bin": {Data: v1.data}}, gophertest.TLS(), gophertest.Faults(faults...))
		s.Cleanup(server.Close)
		s.trust = &tls.Config{RootCAs: server.Roots()}
		url := server.URL
		if hide {
			proxy := fault.NewProxy(url, fault.Faults(fault.Fault{Do: fault.NoNotify}))
			s.Cleanup(proxy.Close)
			url = proxy.URL
		}
		return url + "/9/f.bin"
	}
}

// listed has the entries read.
func listed(serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		s.listed = true
		return serve(s)
	}
}

const error3 = "3'/f.bin' does not exist\t\terror.host\t1\r\n.\r\n"

var (
	lines     = string(wired(text))
	someLines = lines[:len(lines)/2+3]
)

var gopherTrials = []trial{
	{name: "a gopher text", serve: sends("/0/f.txt", lines, ".\r\n"), data: isText, want: mustBeRight},
	{name: "a gopher binary", serve: sends("/9/f.bin", body), want: []verdict{right, unconfirmed}},
	{name: "a gopher menu", serve: sends("/1/", menu, ".\r\n"), data: isMenu, want: mustBeRight},
	{name: "a gopher text without the dot", serve: sends("/0/f.txt", lines), data: isText, want: []verdict{right, unconfirmed}},
	{name: "a gopher text ends within a line", serve: sends("/0/f.txt", someLines), data: isText, want: unseen},
	{name: "a gopher menu ends within a line", serve: sends("/1/", menu[:len(menu)/2+5]), data: isMenu, want: unseen},
	{name: "a gopher binary ends at half", serve: sends("/9/f.bin", halfBody), want: unseen},
	{name: "a gopher text is reset", serve: gopherCut("/0/f.txt", gophertest.Fault{After: 20_000, Do: gophertest.Reset}), data: isText, want: mustFail},
	{name: "a gopher binary is reset", serve: gopherCut("/9/f.bin", gophertest.Fault{After: atHalf, Do: gophertest.Reset}), want: mustFail},
	{name: "an empty gopher answer", serve: sends("/0/f.txt"), data: isText, want: unseen},
	{name: "a gopher error in place of a text", serve: sends("/0/f.bin", error3), want: mustFail},
	{name: "a gopher error in place of a binary", serve: sends("/9/f.bin", error3), want: mustFail},
	{name: "a gopher text with a doubled dot", serve: sends("/0/f.txt", "..dot\r\n", lines, ".\r\n"),
		data: [][]byte{append([]byte("..dot\r\n"), wired(text)...), append([]byte(".dot\r\n"), wired(text)...),
			append([]byte("..dot\n"), text...), append([]byte(".dot\n"), text...)}, want: mustBeRight},
	{name: "octets behind the dot", serve: sends("/0/f.txt", lines, ".\r\n", strings.Repeat("x", 1000)),
		data: append(isText, wired(append(append(text[:len(text):len(text)], ".\n"...), strings.Repeat("x", 1000)...)))},
	{name: "silence after the dot of a text", serve: opens("/0/f.txt", lines, ".\r\n"), data: isText},
	{name: "silence after the dot of a menu", serve: opens("/1/", menu, ".\r\n"), data: isMenu},
	{name: "silence after a gopher binary", serve: opens("/9/f.bin", body), want: mustFail},
	{name: "a gopher binary that drips", serve: selects("/9/f.bin", func(c *net.TCPConn) { drip(c, "x") }), want: mustFail},
	{name: "a line end in the selector", serve: refuses("/0/x%0d%0aflush_all"), want: mustFail},
	{name: "a bare LF in the selector", serve: refuses("/0/x%0aflush_all"), want: mustFail},
	{name: "a bare CR in the selector", serve: refuses("/0/x%0dflush_all"), want: mustFail},
	{name: "a line end behind a search word", serve: refuses("/7/x%09word%0d%0aflush_all"), want: mustFail},
	{name: "a line end in the search", serve: refuses("/7/x?word%0d%0aflush_all"), want: mustFail},
	{name: "NUL in the selector", serve: refuses("/9/f.bin%00.evil"), want: mustFail},
	{name: "a gopher menu in one endless line", serve: listed(selects("/1/", func(c *net.TCPConn) { flood(c, "0an entry without end ") })), want: mustFail},
	{name: "a gopher menu of 100,000 entries", serve: listed(sends("/1/", strings.Repeat(menu, 1000), ".\r\n")), entries: 100_000, want: mustBeRight},
	{name: "a selector of 100,000 octets", serve: sends("/9/"+strings.Repeat("a", 100_000), body), want: []verdict{right, unconfirmed, honest}},
	{name: "gophers with close_notify", serve: secure(false), want: mustBeRight},
	{name: "gophers, half, no close_notify", serve: secure(true, gophertest.Fault{After: atHalf}), want: mustFail},
}
