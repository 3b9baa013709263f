// Package roundtrips counts the round trips that a fetch takes, for each protocol. It has no code
// of its own; its test fetches a small file over a network in memory, where time passes on the way
// only (package testing/synctest). So the count is exact, also for requests in one write and on
// several connections.
//
// The test holds the counts against the table in docs/performance.md. After a change of a
// protocol, this writes the table anew:
//
//	go test ./integration/roundtrips -update
//
// If curl is installed, -update counts its round trips too, from the same servers on
// loopback.
package roundtrips
