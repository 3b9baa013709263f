// Package plan has the decisions of a cluster that need neither a clock nor a network: which
// partition a host belongs to, which partitions a worker takes and gives back, how many pages it
// holds, and which URLs are suspected of killing workers. A simulator makes the same decisions.
//
// # Partitions
//
// The hosts of a job are hashed to [Partitions] partitions. A partition has one owner at a time, so
// the pace of a host is kept by one worker and needs no agreement with others.
//
// # The table of owners
//
// A [Table] says who owns each partition. A worker reads the table, applies [Table.Take] and
// [Table.Give] to a copy, and writes the copy back by compare-and-swap. If another worker was
// faster, it reads the table again. Each change has a higher Turn, and the Turn at which a partition
// was taken is the token of its owner: a worker with a lower token than the last one is no owner any
// more, even if it does not know yet.
//
// # Suspects
//
// A worker names each URL in the store before it fetches it. If the worker dies, the next owner of a partition
// counts a death for each URL of the partition that was named ([Suspects]). A URL with three deaths is given
// up. After two deaths a worker fetches a URL [Alone]: no other URL with two deaths is fetched by it at the
// same time. So a death that no URL has caused is the third one of a single URL at most.
package plan
