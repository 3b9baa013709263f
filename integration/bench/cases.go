package main

import (
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

// A benchCase is a thing to do, and how each tool does it.
type benchCase struct {
	name, what string
	prepare    func(work string) (clean func(), err error)
	size       int64                   // of what a tool writes into work/out, in bytes
	check      func(work string) error // whether that is what it should be
	tools      []tool                  // ours is the first
}

// casesOf returns the cases, with large files of a size. A gopher server of ours is at a
// URL: gophernicus sends in pieces of 4 KiB, for which all clients wait.
func casesOf(large int64, gopher string) []benchCase {
	return []benchCase{
		single("http", large, servers.URL("nginx")+"/pub/"+single1, curl, wget, wget2, aria2, axel, bareSplice, bareCopy),
		single("https", large, secure("nginx")+"/pub/"+single1, curl, wget, wget2, aria2),
		single("ftp", large, servers.URL("vsftpd")+"/"+single1, curl, wget, aria2, lftp, bareSplice, bareCopy),
		single("gopher", 500_000_000, servers.URL("gophernicus")+"/9/"+single1, curl, bareSplice),
		single("gopher-own", 500_000_000, gopher+"/9/"+single1, curl, bareSplice, bareCopy),
		single("held", 64<<20, servers.URL("nginx")+"/held/"+single1, fetch4, aria2x4, axel4),
		mirrored(64<<20, servers.URL("nginx")+"/held/"+single1, byName(secure("nginx"))+"/held/"+single1),
		copying(large),
		starting(),
		many("http", 10_000, "nginx", "/pub/"),
		many("ftp", 2000, "vsftpd", "/"),
	}
}

// byName returns a URL of this machine by its name, for peers that count connections by
// host.
func byName(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// secure returns where a server is by https.
func secure(name string) string {
	s, _ := servers.Find(name)
	return "https://" + s.Addr("https")
}

// kib says a number of bytes.
func kib(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
