// Package z3950 fetches z39.50r and z39.50s URLs, as RFC 2056 defines them, from servers that
// speak Z39.50-1995 (version 3, or 2) over TCP: the catalogues of libraries.
//
// Requests and answers alternate, one message each, in BER. Package internal/z3950 encodes the
// messages. Every connection begins with
//
//	C: Init: versions 1 to 3, search, present, user joe, password ***
//	S: InitResponse: accepted true, version 3, messages of up to 1048576 bytes, GFS/YAZ 5.34
//
// and can then be used for any number of searches, also of later fetches with the same login. A
// user with a password is sent as an idPass, a user without one as the string "open". RFC 2056 has
// no user in its URLs; here one may precede the host. If the server supports version 3, the client
// ends the session with a message:
//
//	C: Close: finished
//
// # Records
//
// z39.50r://h/db?42 is the record with the docid 42, a Document. The docid is a term with the
// attributes Use 1032 and Structure 104 of the set Bib-1, and the record comes with the answer:
//
//	C: Search db: @attr 1=1032 @attr 4=104 "42", and usmarc, elements F
//	S: SearchResponse: 1 records match
//	S: a record: usmarc, 366 bytes
//
// If it does not, the client requests it with a Present. The parameter esn is the element set. rs
// lists record syntaxes, which are tried in order until the server supports one: a name, such as
// usmarc (or marc, marc21), xml, sutrs, grs-1, opac, unimarc, html, pdf, or an object identifier.
// The default is usmarc, xml, sutrs, grs-1, and then the preferred one of the server. The default
// of esn is "F", or none if the server has no element sets. For XML it is none, since servers read
// it as the name of a schema.
//
//	z39.50r://h/a+b?42;esn=F;rs=xml+marc    databases a and b
//
// MARC records are application/marc (RFC 2220), XML is application/xml, and SUTRS text/plain. GRS-1
// and OPAC are BER elements, which are delivered in encoded form, as application/x-z3950-grs1 and
// -opac. Package marc reads MARC records.
//
// # Sessions
//
// z39.50s://h/db is an Index: a session, to be queried. Its Body is the protocol version and the
// name of the server's program. If the URL has no database, that of its Query is "Default", the
// usual name in servers with a single database.
//
// z39.50s://h/db?text is a Listing: the results of a search, from 1 to MaxHits. In RFC 2056 the
// text after "?" is a docid in this scheme too, and so a single word is first searched as a docid.
// If the server has no such record, or no docids, the text is searched as words:
//
//	C: Search db: @attr 1=1032 @attr 4=104 "orchard"
//	S: SearchResponse: 0 records match
//	C: Search db: @attr 1=1016 "orchard"
//	S: SearchResponse: 41 records match
//	C: Present records 1 to 20: usmarc, elements B
//	S: PresentResponse: records 1 to 20
//	C: Present records 21 to 40: usmarc, elements B
//	…
//
// Words are separated by blanks or "+", and all of them have to match. A prefix of a word or phrase
// selects the part of the record, with a name or a value of the attribute Use:
//
//	dinosaur               anywhere (1016)
//	title=dinosaur         in the title (4); likewise author (1003), subject (21), isbn (7),
//	                       issn (8), lccn (9), id (12), date (31), publisher (1018),
//	                       docid (1032) and any (1016)
//	1003=knuth             the same as author=knuth
//	title="red wine"       a phrase (Structure 1)
//	dino*                  words with that prefix (Truncation 1)
//
// An entry has the title of the record, from MARC, XML or the first line of SUTRS. A server does
// not tell the docid of a record. The URL of an entry therefore has the position in the results, in
// a parameter that RFC 2056 allows,
//
//	z39.50s://h/db?orchard;pos=3
//
// which is a Document. It may be another record after the database has changed. If a docid was
// searched and has a single record, the entry has the z39.50r URL. The Body of a Listing has the
// unmodified PresentResponses.
//
// # Errors
//
// A diagnostic is a StatusError with its number in the set Bib-1, its meaning and the detail from
// the server. Database unavailable (109, 235), no record with a docid, and a position after the end
// are fs.ErrNotExist; a refused login (1010, 1011 and others), or a refused session, ErrLogin;
// locks and resources (2, 29, 31, 1018 to 1020) ErrTemporary; attributes, element sets and syntaxes
// that a server does not support errors.ErrUnsupported. Several records with one docid, and
// malformed messages, are ErrProtocol. A Close by the server is ErrTemporary if its reason is
// temporary. An answer that is cut off is io.ErrUnexpectedEOF and ErrTemporary.
//
// Request.Range is ignored: nothing proves that a record is still the same.
//
// # Limits
//
// A record is a stream of up to 64 MiB and not held in memory, unless it has no length, in which
// case it may have 4 MiB. An answer with several records may have 1 MiB. No element may be longer
// than its container, elements may be nested 32 deep, and a name or a text may have 64 KiB.
package z3950
