// Package integration holds what is needed to try clients against servers. It has no
// code of its own; its test states which package of this module may import which.
//
// # Servers for your tests
//
// The servers below it are for any project: they listen on the loopback interface,
// are started by a test in the manner of net/http/httptest, and know nothing of our
// client.
//
//	import "github.com/seed1ea3422f/fetch/integration/ftptest"
//
//	func TestClient(t *testing.T) {
//		server := ftptest.NewServer(
//			os.DirFS("testdata"),
//			ftptest.Faults(ftptest.Fault{After: 1000, Do: ftptest.Drop, Once: true}),
//		)
//		defer server.Close()
//
//		got, err := yourClient.Get(server.URL + "/file.txt")
//		…
//		for _, line := range server.Transcript() {
//			// what your client has said: USER anonymous, REST 1000, …
//		}
//	}
//
// examples/harness is a whole project of that kind. The servers have one shape:
//
//	NewServer(files, options...)   starts one; files is an fs.FS, but names are what prosperotest
//	                               serves (prosperotest.Tree makes them of an fs.FS), and
//	                               telnettest has a dialogue and no files
//	URL, Addr                      where it is: "ftp://127.0.0.1:2121", "127.0.0.1:2121"
//	Close()                        ends it with every connection, and waits until nothing runs
//	Transcript()                   what clients have sent, in order
//	Connections()                  how many have connected (over TCP)
//	Faults(faults...)              an option: how it goes wrong, where, and whether only once (not webtest)
//	Reply(request, reply)          an option: what it answers in place of its own (ftptest, gophertest, nntptest)
//	ImplicitTLS(), TLS()           options: TLS from the first octet, in the URL too; Certificate() and
//	                               Roots() are what to trust (ftptest, gophertest, nntptest, telnettest,
//	                               webtest)
//
//	ftptest        FTP, FTPS            RFC 959, 2389, 2428, 3659, 4217
//	gophertest     Gopher, Gopher+      RFC 1436
//	nntptest       NNTP                 RFC 3977, 4642, 4643, 6048, 8054
//	waistest       WAIS                 RFC 1625, as freeWAIS-sf speaks it
//	prosperotest   Prospero over ARDP   UDP
//	telnettest     Telnet, Telnets      RFC 854
//	webtest        HTTP, HTTPS          RFC 9110, 9112
//
// A test of HTTP can have net/http/httptest, with any http.Handler; webtest is for a program
// that may not link that. Package fault is a proxy to stand before any of them, or before
// other servers, that makes the network a bad one.
//
// # The rest
//
// Package wire plays a written exchange instead of being a server, package pty is a
// terminal with a person at it, and package conformance checks that a fetchers.Fetcher
// keeps its promises. Package leak fails a suite that leaves a goroutine or a descriptor
// behind. Directory real starts the servers that others have written, interop tries the
// client against them if FETCH_REAL is set to required (or to up, which means those that
// are up), and bench measures it. Directory wan is a slow line between two namespaces of
// this machine, for bench and for any other pair of programs. Package roundtrips counts the
// round trips of each protocol.
package integration
