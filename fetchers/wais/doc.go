// Package wais fetches wais URLs, as RFC 1738, section 3.9 and RFC 4156 define
// them, from servers that speak WAIS over Z39.50-1988 (RFC 1625).
//
// A client asks, and a server answers, one message after the other. The words are
// in package apdu. Every connection begins with
//
//	C: Init: messages of up to 100000 octets, to search only
//	S: InitResponse: accepted, messages of up to 100000 octets
//
// and can then be used for any number of questions, of this fetch and of others
// for the same server. An answer without a body means that the server cannot
// answer, or not at such a length.
//
// A database, wais://h/garden, is an Index. Its Body is what the server says about
// it, a text of type WSRC, which is asked for by a search for no words:
//
//	C: Search "garden", query type 3: ""
//	S: SearchResponse: a hit of type WSRC, "Information on database garden"
//	C: Search "garden", query type 1: octets 0 to 9999 of that document
//	S: SearchResponse: 543 octets of text, diagnostic SF "Request out of range"
//
// Without such a hit there is no Body: the database is not described, or is
// not there, and the protocol does not tell these apart.
//
// A search, wais://h/garden?bees+honey, is a Listing of hits, with an entry for
// each type that a document comes in. Its Body is the APDU of the answer:
//
//	C: Search "garden", query type 3: "bees honey", 100 documents at most
//	S: SearchResponse: hits with document-id, score, size, types, date, headline
//
// With Request.Like, the search also finds documents similar to others (relevance feedback).
// The document-ids of those are in the question, and the words may be missing:
//
//	C: Search "garden", query type 3: "bees", like the document %01%15wais…
//	S: SearchResponse: hits
//
// A document, wais://h/garden/TEXT/%01%15wais…, is asked for in chunks:
//
//	C: Search "garden", query type 1: octets 0 to 9999 of the document, type TEXT
//	S: SearchResponse: 10000 octets of text
//	C: Search "garden", query type 1: octets 10000 to 19999 …
//	S: SearchResponse: 2590 octets of text, diagnostic SF "Request out of range"
//
// That diagnostic is the end of a document, and io.EOF. A server that has an empty
// answer for a chunk is asked for a smaller one. A Request.Range is not honoured:
// nothing proves that a document is still the one that a part of it is from.
//
// A text of type WSRC, which is also what people keep in files called .src, is read
// by [ParseSource], and leads to the URL of its database.
//
// # Errors
//
// Other diagnostics are errors, in the server's words after their code: SF for the
// first chunk, and S1 for a database that is not available, is fs.ErrNotExist; S2,
// and what speaks of resources and locks, ErrTemporary; SH and T2 to T4
// fs.ErrPermission. Those that come with hits are the error at the end of the
// Listing. Whether a search went well is not asked of SearchStatus, which freeWAIS
// sets the wrong way round, nor is the number of records believed. What makes no
// sense, an empty answer and a connection that is closed in place of one are
// ErrProtocol; within a document the latter is io.ErrUnexpectedEOF.
//
// # Bounds
//
// No answer may be longer than was agreed and 64 KiB more, no number is negative,
// no element is longer than what it is in. The addresses in document-ids are not
// looked at: all questions go to the server of the URL.
package wais
