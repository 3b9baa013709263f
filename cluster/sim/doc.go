// Sim simulates a cluster that fetches a list, without a network and without a clock: it makes the
// decisions of package plan, and counts. The same flags give the same output.
//
//	go run ./sim -urls 1e9 -hosts 1e7 -workers 16
//
// # The list
//
// The host of rank r has a share of the URLs like 1/r^zipf, and at least one URL. A page has 1,000
// URLs of one partition. In a shuffled list each URL of a page is drawn from all hosts of the
// partition; in a grouped list the URLs of a host follow each other, and the hosts come in a random
// order.
//
// # A host
//
// A host has one fetch at a time, which begins one interval after the one before, or when that one
// has ended. One host in ten has -delay in place of -interval, as robots.txt can ask for. An answer
// takes between 50 ms and 1 s, and one host in a hundred takes 20 s.
//
// # A worker
//
// A worker begins -rate fetches a second at most, and has -fetches under way at once. It opens pages
// in their order, as plan.MayTake allows, and a page is open until each of its URLs has a record. A page
// that is open for longer than plan.Patience is put back: its URLs that wait become a new page at the end of
// the partition. Once a second records are written. A crash loses the records that are not written, and their URLs are
// fetched again: these are the duplicates. The others see the death 8.5 s later, and share out its
// partitions by plan.Table. It is there again after a minute.
//
// # Memory
//
// A worker holds the items of its open pages, the hosts of these, what its fetches have in memory, and
// the records that are not written. The set of done URLs is a file for each partition: it has 40 bytes
// a URL on disk, and its pages in memory belong to the system, which takes them back. The sizes are the
// constants of memory.go.
package main
