// Package integration has the packages that test clients with servers. It has no code of its own.
// Its test defines which package of this module may import which.
//
// # Servers for your tests
//
// The servers below it are for any project: they listen on the loopback interface, are started by a
// test as those of net/http/httptest, and import no client of this module.
//
//	import "github.com/seed1ea3422f/fetch/integration/ftptest"
//
//	func TestClient(t *testing.T) {
//		server := ftptest.New(t,
//			os.DirFS("testdata"),
//			ftptest.Faults(ftptest.Fault{Path: "file.txt", After: 1000, Do: ftptest.Cut, Once: true}),
//		)
//
//		got, err := yourClient.Get(server.URL + "/file.txt")
//		…
//		for _, request := range server.Requests() {
//			// the commands of your client: USER anonymous, REST 1000, …
//		}
//	}
//
// examples/harness and examples/clienttests are whole projects of that kind. The servers have
// one shape, and docs/harness.md has a table of all options and faults:
//
//	New(t, files, options...)      starts one, which the end of the test closes; files is an fs.FS,
//	                               but prosperotest serves names (prosperotest.Tree makes
//	                               them of an fs.FS), and telnettest has a dialogue and no files
//	NewServer(files, options...)   starts one that the caller closes
//	NewUnstarted(files, ...)       has an address, and answers from Start on
//	URL, Addr                      where it is: "ftp://127.0.0.1:2121", "127.0.0.1:2121"
//	Close()                        ends it with every connection, and waits until nothing runs
//	Requests(), Transcript()       the requests of clients, in order: as structs, and as text
//	Connections()                  how many have connected (over TCP)
//	Listen(address)                an option: a fixed port, or IPv6
//	MaxConnections(n)              an option: one connection too many is refused (over TCP)
//	Faults(faults...)              an option: how it goes wrong, where, and whether only once (not webtest)
//	Reply(request, reply)          an option: a reply in place of that of the server, as ReplyFunc
//	                               (dicttest, ftptest, gophertest, geminitest, nntptest)
//	User(name, password)           an option: a user who may log in (dicttest, ftptest, nntptest, telnettest),
//	                               as does Login (not dicttest)
//	TLS()                          an option: TLS from the first octet, in the URL too; ClientTLS(),
//	                               Certificate() and Roots() are for clients to trust (ftptest, gophertest,
//	                               nntptest, telnettest, webtest); geminitest has no other way
//	StartTLS()                     an option: TLS when the client asks for it (ftptest, nntptest)
//
//	ftptest        FTP, FTPS            RFC 959, 2389, 2428, 3659, 4217
//	gophertest     Gopher, Gopher+      RFC 1436
//	s3test         S3                   Amazon S3 API 2006-03-01
//	geminitest     Gemini               Gemini protocol specification
//	nntptest       NNTP                 RFC 3977, 4642, 4643, 6048, 8054
//	waistest       WAIS                 RFC 1625, as freeWAIS-sf speaks it
//	dicttest       DICT                 RFC 2229
//	tftptest       TFTP                 RFC 1350, 2347, 2348, 2349, 7440
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
// Package wire plays a written exchange in place of a server, and package conformance checks that a
// fetchers.Fetcher keeps its promises. Both are for protocols of other modules as well. The other
// directories are for this project. Directory real starts real servers. Package interop tests the
// client with them if FETCH_REAL is required, or with the running ones if it is up. Directory bench
// measures the client. Directory wan is a slow line between two namespaces of this machine, for
// bench and for any other pair of programs. Directory terminal types everyday tasks into terminals
// at the end of that line. Package roundtrips counts the round trips of each protocol.
package integration
