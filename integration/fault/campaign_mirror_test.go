package fault_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync/atomic"
)

// fileDigest returns the header field with the checksum of the file.
func fileDigest(f version) string {
	sum := sha256.Sum256(f.data)
	return "Repr-Digest: sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":\r\n"
}

// mostRequests is how many requests to third parties a server may cause.
const mostRequests = 40

// mirrored makes a server that names places for the file and breaks off at half, and the third
// parties at these places. It reports a client that sends them too many requests.
func mirrored(places func(n int) string, count int, answer func(c *link)) func(*scene) string {
	return func(s *scene) string {
		s.mirrors, s.armed = true, true
		var fields strings.Builder
		for n := range count {
			fmt.Fprintf(&fields, "Link: <%s>; rel=duplicate; pri=%d\r\n", places(n), n+1)
		}
		s.serve("good.test:80", func(c *link) {
			if _, err := nethttp.ReadRequest(bufio.NewReader(c)); err != nil {
				return
			}
			s.strikes.Add(1)
			io.WriteString(c, ok+"ETag: \"v1\"\r\n"+length+fileDigest(v1)+fields.String()+"\r\n"+halfBody)
		})
		var asked atomic.Int32
		s.serve(":8080", func(c *link) {
			req, err := nethttp.ReadRequest(bufio.NewReader(c))
			if err != nil {
				return
			}
			if req.URL.Path != "/x" && asked.Add(1) > mostRequests { // /x is the target of redirections
				s.accuse("third parties got more than %d requests", mostRequests)
			}
			answer(c)
		})
		return "http://good.test/f.bin"
	}
}

// The places.
var (
	oneHost   = func(n int) string { return fmt.Sprintf("http://evil.test:8080/%d", n) }
	manyHosts = func(n int) string { return fmt.Sprintf("http://evil%d.test:8080/f.bin", n) }
	manyFTP   = func(n int) string { return fmt.Sprintf("ftp://evil%d.test:8080/f.bin", n) }
	itself    = func(n int) string { return fmt.Sprintf("http://good.test/%d", n) }
)

// replies answers every request with the same octets.
func replies(octets ...string) func(c *link) {
	return func(c *link) { io.WriteString(c, strings.Join(octets, "")) }
}

var notFound = replies("HTTP/1.1 404 No\r\nContent-Length: 27\r\n\r\n", page)

var mirrorTrials = []trial{
	{name: "three places, of which the last is good", does: "half of the file, and three places", serve: mirrored(manyHosts, 3, func(c *link) { replies(goodReply, body)(c) }), want: mustBeRight},
	{name: "300 places at one host, all missing", does: "half of the file, and Link to 300 places that answer 404", serve: mirrored(oneHost, 300, notFound), want: mustFail},
	{name: "300 places at 300 hosts, all missing", does: "half of the file, and Link to 300 places that answer 404", serve: mirrored(manyHosts, 300, notFound), want: mustFail},
	{name: "300 places that are busy", does: "half of the file, and Link to 300 places that answer 503", serve: mirrored(manyHosts, 300, replies("HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")), want: mustFail},
	{name: "300 mirrors that require a wait", does: "half of the file, and Link to 300 places that answer 429 with Retry-After of 30 seconds", serve: mirrored(manyHosts, 300, replies("HTTP/1.1 429 No\r\nRetry-After: 30\r\nContent-Length: 0\r\n\r\n")), want: mustFail},
	{name: "300 places that break off", does: "half of the file, and Link to 300 places that reset the connection", serve: mirrored(manyHosts, 300, func(c *link) { c.reset() }), want: mustFail},
	{name: "300 places that break off at half", does: "half of the file, and Link to 300 places that have half of it", serve: mirrored(manyHosts, 300, replies(goodReply, halfBody)), want: mustFail},
	{name: "300 places that are silent", does: "half of the file, and Link to 300 mirrors that never answer", serve: mirrored(manyHosts, 300, func(c *link) { io.Copy(io.Discard, c) }), want: mustFail},
	{name: "300 places with another file", does: "half of the file, and Link to 300 places with another one", serve: mirrored(manyHosts, 300, replies(ok, "ETag: \"v2\"\r\n", length, "\r\n", string(v2.data))), want: mustFail},
	{name: "300 places that lead on", does: "half of the file, and Link to 300 places that redirect to each other", serve: mirrored(manyHosts, 300, replies("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: http://evil0.test:8080/x\r\n\r\n")), want: mustFail},
	{name: "300 places that name 300 more", does: "half of the file, and Link to 300 places that have half and Link to others", serve: mirrored(manyHosts, 300, func(c *link) {
		var more strings.Builder
		for n := range 300 {
			fmt.Fprintf(&more, "Link: <http://more%d.test:8080/f.bin>; rel=duplicate\r\n", n)
		}
		io.WriteString(c, ok+"ETag: \"v1\"\r\n"+length+fileDigest(v1)+more.String()+"\r\n"+halfBody)
	}), want: mustFail},
	{name: "300 places of FTP at a port of HTTP", does: "half of the file, and Link to 300 places of FTP that answer in HTTP", serve: mirrored(manyFTP, 300, notFound), want: mustFail},
	{name: "300 places at the server itself", does: "half of the file, and Link to 300 names of its own, which all break off", serve: mirrored(itself, 300, notFound), want: mustFail},
	{name: "a Link of 200,000 octets", does: "half of the file, and Link to 4,000 places in one field", serve: mirrored(func(int) string {
		return "http://evil.test:8080/0>; rel=duplicate, <" + strings.Repeat("http://evil.test:8080/a>; rel=duplicate, <", 4000) + "http://evil.test:8080/z"
	}, 1, notFound), want: mustFail},
	{name: "a Link that never ends its quotes", does: "half of the file, and Link with 100,000 octets in quotes that are not closed", serve: mirrored(func(int) string {
		return "http://evil.test:8080/0>; a=\"" + strings.Repeat(`\"`, 50_000) + ", <http://evil.test:8080/z"
	}, 1, notFound), want: mustFail},
}

// pieces makes a server that redirects each request hops times, then sends the given
// number of octets and closes the connection.
func pieces(octets, hops int) func(*scene) string {
	return func(s *scene) string {
		s.serve("good.test:80", func(c *link) {
			in := bufio.NewReader(c)
			for {
				req, err := nethttp.ReadRequest(in)
				if err != nil {
					return
				}
				var hop, from int
				if fmt.Sscanf(req.URL.Path, "/%d", &hop); hop < hops {
					fmt.Fprintf(c, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /%d\r\n\r\n", hop+1)
					continue
				}
				s.strikes.Add(1)
				fmt.Sscanf(req.Header.Get("Range"), "bytes=%d-", &from)
				to := min(from+octets, len(v1.data))
				if from == 0 {
					io.WriteString(c, goodReply+string(v1.data[:to]))
					return
				}
				fmt.Fprintf(c, "HTTP/1.1 206 Partial Content\r\nETag: \"v1\"\r\nContent-Range: bytes %d-262143/262144\r\nContent-Length: %d\r\n\r\n%s", from, len(v1.data)-from, v1.data[from:to])
				return
			}
		})
		return "http://good.test/f.bin"
	}
}

// afterHalf makes a server that breaks off at half, and redirects each request for the
// rest.
func afterHalf(location func(n int) string) func(*scene) string {
	return func(s *scene) string {
		s.armed = true
		var n atomic.Int32
		s.serve("good.test:80", func(c *link) {
			in := bufio.NewReader(c)
			for {
				if _, err := nethttp.ReadRequest(in); err != nil {
					return
				}
				if n.Add(1) == 1 {
					io.WriteString(c, goodReply+halfBody)
					return
				}
				s.strikes.Add(1)
				io.WriteString(c, "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: "+location(int(n.Load()))+"\r\n\r\n")
			}
		})
		return "http://good.test/f.bin"
	}
}

var redirectTrials = []trial{
	{name: "a redirection before each sixteenth of the file", does: "a sixteenth of the file with each request, behind a redirection", serve: pieces(16384, 1), want: mustBeRight},
	{name: "nine redirections before each sixteenth of the file", does: "a sixteenth of the file with each request, behind nine redirections", serve: pieces(16384, 9), want: mustBeRight},
	{name: "a hundred redirections before each sixteenth of the file", does: "a sixteenth of the file with each request, behind a hundred redirections", serve: pieces(16384, 100), want: mustFail},
	{name: "nine redirections before each 100 octets of the file", does: "100 octets with each request, behind nine redirections", serve: pieces(100, 9), want: needsFlag, flag: "--speed-limit"},
	{name: "the rest leads to itself", does: "half of the file, and redirections for the rest", serve: afterHalf(func(int) string { return "/f.bin" }), want: mustFail},
	{name: "the rest leads on for ever", does: "half of the file, and redirections for the rest to ever new places", serve: afterHalf(func(n int) string { return fmt.Sprintf("/%d", n) }), want: mustFail},
	{name: "the rest leads to a file of this machine", does: "half of the file, and a redirection for the rest to file:///etc/passwd", serve: afterHalf(func(int) string { return "file:///etc/passwd" }), want: mustFail},
	{name: "the rest leads to ever longer places", does: "half of the file, and redirections for the rest to places of 60,000 octets", serve: afterHalf(func(n int) string { return fmt.Sprintf("/%d/", n) + strings.Repeat("a", 60_000) }), want: mustFail},
}
