// Package crawl is for programs that visit many URLs and what they lead to. A [Frontier] knows, on
// disk, which URLs there are, which of them wait and what became of the others. A [Scope] says which
// belong to the crawl, and a [Pace] how fast a host is asked. A [Crawl] ties them together: it visits
// what waits, host by host in turn, and tells what became of each URL:
//
//	c := &crawl.Crawl{Frontier: frontier, Scope: scope, Robots: robots, Pace: pace, Visit: visit}
//	for result, err := range c.Run(ctx) {
//		...
//	}
//
// Its Visit is the program's own: it fetches a URL, does with it what the program is for, and has the
// Crawl follow the links (package [github.com/seed1ea3422f/fetch/crawl/links]).
//
// # The file of a Frontier
//
// It is a log: a header, and records that are only ever added. A record is a length and a checksum
// (CRC-32C) of 4 octets each, and then what it says: a URL was added, something became of it, or
// all are to be visited again. What a process wrote before it was killed is there, in order, so
// that a page which is Done has its links before it. The end of the file may be a record that was
// cut, which is left out. Any other damage is an error: what follows it would be a guess. The file
// is for its owner only, as URLs may have passwords in them.
//
// In memory there are 17 octets for each URL, about six for a table to find it by, and a name for
// each host: some 240 MB for ten million URLs. A B+tree such as bbolt's needs less memory and more
// time: it writes whole pages at random places for each URL. The log takes additions as fast as
// they can be hashed, and nothing of it is lost by SIGKILL. The runtime lets the heap double before
// it collects: a program with so many URLs sets GOGC=50.
package crawl
