// Package oddhttp holds fetch against curl with answers of HTTP/1 that are odd: each is made
// from the grammar of RFC 9112, and then a few of its parts are written as some server writes
// them. A test fetches the same answer with both, and each difference needs a class, which has
// a reason. Two properties are tested with the same answers: no answer that is cut passes for
// whole, and no answer splits into two.
//
//	go test ./integration/oddhttp -v                        # with the table of classes
//	go test ./integration/oddhttp -args -n 20000 -seed 7    # more answers, and others
package oddhttp
