// Package cluster fetches lists of URLs by several machines. It keeps the lists, the records and the
// failures of package record, and takes its streams from an engine that exists: JetStream of NATS.
//
//	conn, err := nats.Connect(address)
//	store, err := cluster.Open(ctx, conn, cluster.Options{Job: "news"})
//
//	adder := cluster.NewAdder(store) // where the list is
//	err = adder.Add(ctx, cluster.Item{URL: "http://h.example/"})
//	err = adder.Flush(ctx)
//
//	worker := &cluster.Worker{Store: store, Fetcher: client, Sink: bodies, Dir: state} // on each machine
//	err = worker.Run(ctx)
//
//	for r, err := range store.Records(ctx, cluster.Records{Final: true}) { ... } // where the result is wanted
//
// # Streams
//
// The hosts of a job are hashed to 256 partitions (package plan). A partition has a subject for pages and
// one for records:
//
//	JOB.page.191    {"version":1,"job":"news","items":[{"url":"http://h.example/"},…]}
//	JOB.record.191  Fetch-Token: 7
//	                Fetch-Counts: {"urls":1,"bytes":5}
//	                Fetch-Marks: the hash and the generation of each URL
//
//	                {"url":"http://h.example/",…,"error":null}
//
// A page is up to 1,000 URLs, and so is a message of records, so the server can write each message to
// stable storage before it acknowledges. A worker reads a page by its sequence number and removes it when
// all its URLs have records. There are no consumers for pages: 256 of them would be 256 Raft groups in a
// cluster, and the pages of a dead worker would wait for a deadline.
//
// # One record for each URL
//
// For each URL the body is in the sink first, then the record is in the store, then the page is removed. A
// crash repeats what was not recorded. A set of hashes (bbolt, a file a partition) knows the URLs that have
// records; the owner of the partition derives it from Fetch-Marks, so it may be lost.
//
// A worker publishes records with the sequence number of the last message of their partition
// (Nats-Expected-Last-Subject-Sequence). A new owner first publishes an empty message. From then on the
// server refuses every message of the owner before, however late it comes: of a process that was stopped,
// or of a machine that was out of reach.
//
// # Owners
//
// The table of owners is one value of a bucket, changed by compare-and-swap. A worker writes a beat each
// two seconds. Six seconds after its last one it begins no fetch, and a second later it interrupts those that
// have begun; eight seconds after the last beat that the others have seen, by their own monotonic clocks, they
// share out its partitions. No time of one machine is compared with that of another. With more or fewer
// workers the partitions are shared out anew: a worker ends the fetches of a partition, writes their records,
// and gives it back with its pages.
//
// # Pace
//
// A host belongs to one partition, and so one worker knows when it was asked. A new owner leaves each host
// alone for one interval first. Redirections are followed by the worker that met them; a crawl queues them
// as URLs of their own.
//
// # URLs that kill
//
// A URL may end the process that fetches it. A worker names the URLs that it is about to fetch in a bucket in
// the memory of the server, many in one write. If it dies, the next owner of each partition counts a death for
// the URLs that were named. At the third death a URL gets a record of the class crash. After two deaths a
// worker fetches such URLs one at a time, so that other URLs are not blamed for the same death.
//
// # Slow hosts
//
// A page with the URLs of slow hosts is open for long. An idle worker writes the URLs that wait to a new page
// at the end of the partition, and removes the old page, so that the pages behind it are opened.
//
// # Trouble
//
// If the sink or the store refuses something, the worker says so once, waits with a backoff, and goes on
// when it can. After a Sync of the sink that failed, the bodies without a record are fetched again. A message
// among the records that no worker of this version has written is passed over. A page of another version stays for a worker that understands it. A page that cannot be read
// becomes a record of the class protocol.
package cluster
