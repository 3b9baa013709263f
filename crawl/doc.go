// Package crawl is for programs that visit many URLs and follow their links. A [Frontier] stores,
// on disk, the known URLs and their states. A [Scope] decides which URLs belong to the crawl, and a
// [Pace] how often a host gets requests. A [Crawl] combines them: it visits the waiting URLs, host
// by host in turn, and yields the result of each:
//
//	c := &crawl.Crawl{Frontier: frontier, Scope: scope, Robots: robots, Pace: pace, Visit: visit}
//	for result, err := range c.Run(ctx) {
//		...
//	}
//
// Visit is a function of the program: it fetches a URL, processes it, and tells the Crawl which
// links to follow (package [github.com/seed1ea3422f/fetch/crawl/links]).
//
// # The file of a Frontier
//
// The file is an append-only log: a header and records. A record is a length and a checksum
// (CRC-32C) of 4 bytes each, and a payload: a URL was added, its state changed, or all URLs are to
// be visited again. After a kill, all records written before are present, in order, so that a page
// that is Done has its links before it. If the last record of the file is incomplete, it is
// dropped. Any other damage is an error, since the records after it cannot be trusted. Only the
// owner can read the file, as URLs may contain passwords.
//
// A URL takes 17 bytes of memory, and about six in a hash table; a host takes its name. Ten million
// URLs take about 240 MB. A B+tree such as bbolt's needs less memory and more time: it writes whole
// pages at random places for each URL. The log takes additions as fast as they can be hashed, and
// SIGKILL loses none of it. The Go runtime lets the heap double before it collects garbage: a
// program with so many URLs should set GOGC=50.
package crawl
