// Package sessions holds every protocol to the same rules for its connections. It has no
// code of its own. Its tests run each protocol against a small server that breaks its
// answers on purpose:
//
//   - TestBroken breaks one answer in one way. The fetch fails or returns its own document,
//     the fetches after it return their own documents, and the server is not asked again on
//     the broken connection.
//   - TestCrowd breaks answers at random under 200 goroutines that share one Fetcher.
//
// The tests use exported functions only, so they hold for every implementation of kept connections.
// A protocol joins both tests by an entry in the table of protocols_test.go and a server of its
// replies.
package sessions
