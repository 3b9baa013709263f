// Package wais fetches wais URLs, as RFC 1738, section 3.9 and RFC 4156 define
// them, from servers that speak WAIS over Z39.50-1988 (RFC 1625).
//
// Requests and answers alternate, one message each. Package apdu encodes the messages. Every
// connection begins with
//
//	C: Init: messages of up to 100000 bytes, to search only
//	S: InitResponse: accepted, messages of up to 100000 bytes
//
// and can then be used for any number of requests, also of later fetches from the same server. An
// answer without a body means that the server cannot answer, or that the answer would be too long.
//
// A database, wais://h/garden, is an Index. Its Body is the description of the database, a text of
// type WSRC. The client finds it with a search for no words:
//
//	C: Search "garden", query type 3: ""
//	S: SearchResponse: a hit of type WSRC, "Information on database garden"
//	C: Search "garden", query type 1: bytes 0 to 9999 of that document
//	S: SearchResponse: 543 bytes of text, diagnostic SF "Request out of range"
//
// Without such a hit there is no Body: the database has no description, or does not exist, which
// the protocol does not distinguish.
//
// A search, wais://h/garden?bees+honey, is a Listing of hits, with an entry for each type of a
// document. Its Body is the APDU of the answer:
//
//	C: Search "garden", query type 3: "bees honey", 100 documents at most
//	S: SearchResponse: hits with document-id, score, size, types, date, headline
//
// With Request.Like, the search also finds documents similar to others (relevance feedback).
// The query has their document-ids, and needs no words:
//
//	C: Search "garden", query type 3: "bees", like the document %01%15wais…
//	S: SearchResponse: hits
//
// A document, wais://h/garden/TEXT/%01%15wais…, is requested in chunks:
//
//	C: Search "garden", query type 1: bytes 0 to 9999 of the document, type TEXT
//	S: SearchResponse: 10000 bytes of text
//	C: Search "garden", query type 1: bytes 10000 to 19999 …
//	S: SearchResponse: 2590 bytes of text, diagnostic SF "Request out of range"
//
// That diagnostic is the end of a document, and io.EOF. If a server answers a request for a chunk
// with an empty message, the client requests a smaller one. Request.Range is ignored: nothing
// proves that a document is still the same.
//
// [ParseSource] reads a text of type WSRC, also known as a .src file, and returns the URL of its
// database.
//
// # Errors
//
// Other diagnostics are errors, with their code and the words of the server: SF for the first
// chunk, and S1 for an unavailable database, is fs.ErrNotExist; S2, and those about resources and
// locks, are ErrTemporary; SH and T2 to T4 are fs.ErrPermission. A diagnostic after hits is the
// error at the end of the Listing. The client ignores SearchStatus, which freeWAIS sets to the
// opposite, and the number of records. A malformed answer, an empty answer, or a connection that
// closes without an answer is ErrProtocol; within a document the last is io.ErrUnexpectedEOF.
//
// # Limits
//
// An answer may exceed the agreed length by at most 64 KiB, a number may not be negative, and an
// element may not exceed its container. The client ignores addresses in document-ids: all requests
// go to the server of the URL.
package wais
