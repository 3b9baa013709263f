// Package z3950 fetches z39.50r and z39.50s URLs, as RFC 2056 defines them, from servers that
// speak Z39.50-1995 (version 3, or 2) over TCP: the catalogues of libraries.
//
// A client asks, and a server answers, one message after the other, in BER. The messages are
// in package internal/z3950. Every connection begins with
//
//	C: Init: versions 1 to 3, search, present, user joe, password ***
//	S: InitResponse: accepted true, version 3, messages of up to 1048576 octets, GFS/YAZ 5.34
//
// and can then be used for any number of searches, of this fetch and of others with the same
// login. A user with a password is sent as an idPass, a user without one as the string that
// servers know as "open". RFC 2056 has no user in its URLs; here one may stand before the host.
// At its end a client says so, if the server speaks version 3:
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
//	S: a record: usmarc, 366 octets
//
// If it does not come, it is asked for by a Present. The parameter esn is the element set, and
// rs are the record syntaxes in the order in which they are asked for, until the server has
// one: by a name, such as usmarc (or marc, marc21), xml, sutrs, grs-1, opac, unimarc, html,
// pdf, or by an object identifier. Without rs these are usmarc, xml, sutrs, grs-1, and then
// the one that the server likes best. Without esn it is "F", or none if the server has no
// element sets. For XML it is none, since servers take it for the name of a schema.
//
//	z39.50r://h/a+b?42;esn=F;rs=xml+marc    databases a and b
//
// Records of MARC are application/marc (RFC 2220), XML is application/xml, and SUTRS
// text/plain. GRS-1 and OPAC are elements of BER, which are delivered as they are encoded, as
// application/x-z3950-grs1 and -opac. Package marc reads records of MARC.
//
// # Sessions
//
// z39.50s://h/db is an Index: a session, to be asked. Its Body is the version of the protocol
// and the name of the server's program. If the URL has no database, that of its Query is
// "Default", as servers with a single database call it.
//
// z39.50s://h/db?text is a Listing: the result of a search, from 1 to MaxHits. RFC 2056 has a
// docid behind the "?" of this scheme too, and so a single word is searched for as a docid
// first. If the server has no such record, or no docids, the text is words:
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
// Words are separated by blanks or "+", and all of them have to match. In front of a word or a
// phrase may stand the part of the record where it has to be, as a name or as a value of the
// attribute Use:
//
//	dinosaur               anywhere (1016)
//	title=dinosaur         in the title (4); likewise author (1003), subject (21), isbn (7),
//	                       issn (8), lccn (9), id (12), date (31), publisher (1018),
//	                       docid (1032) and any (1016)
//	1003=knuth             the same as author=knuth
//	title="red wine"       a phrase (Structure 1)
//	dino*                  words that begin so (Truncation 1)
//
// An entry has the title of the record, from MARC, XML or the first line of SUTRS. A server
// does not tell the docid of a record. So an entry leads to its place in the result, by a
// parameter for which RFC 2056 leaves room,
//
//	z39.50s://h/db?orchard;pos=3
//
// which is a Document. It may be another one when the database has changed. If a docid was
// searched for and has a single record, the entry leads to the z39.50r URL. The Body of a
// Listing is the PresentResponses as they came.
//
// # Errors
//
// A diagnostic is a StatusError with its number in the set Bib-1, its meaning and what the
// server adds. Database unavailable (109, 235), no record with a docid, and a place behind the
// end are fs.ErrNotExist; a login that is refused (1010, 1011 and others), or a session that
// is, ErrLogin; locks and resources (2, 29, 31, 1018 to 1020) ErrTemporary; attributes, element
// sets and syntaxes that a server does not have errors.ErrUnsupported. Several records with
// one docid, and what makes no sense, are ErrProtocol. A Close of the server is ErrTemporary if
// its reason may pass. An answer that ends too early is io.ErrUnexpectedEOF,
// and ErrTemporary.
//
// A Request.Range is not honoured: nothing proves that a record is still the one that a part of
// it is from.
//
// # Bounds
//
// A record is a stream of up to 64 MiB and not held in memory, unless it has no length, in
// which case it may have 4 MiB. An answer with several records may have 1 MiB. No element is
// longer than the one that it is in, 32 may be within each other, and a name or a text has at
// most 64 KiB.
package z3950
