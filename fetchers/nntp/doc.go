// Package nntp fetches news, snews, nntp and nntps URLs, as RFC 1738, sections 3.6
// and 3.7, and RFC 5538 define them.
//
// Each form of URL is a short conversation (RFC 3977). All begin with
//
//	S: 201 ready, no posting
//	C: MODE READER               which servers of every age answer or ignore
//	S: 201 ready, no posting
//
// An article by its message-id, news:id or news://h/id, is a Document of type
// message/rfc822, sent as it is but for the dots before lines that begin with one.
// Its header is also in Header:
//
//	C: ARTICLE <id>
//	S: 220 0 <id>
//	S: …
//	S: .                         and with it Body ends in io.EOF
//
// An article by its number, nntp://h/group/7:
//
//	C: GROUP group               unless that is where we are
//	S: 211 13 1 19 group
//	C: ARTICLE 7
//
// A reply about another article, or another group, is ErrProtocol, and the connection is
// closed: the message-id or the number of the reply has to be that of the request.
//
// To describe an article is HEAD in place of ARTICLE. So is the question whether a
// copy is still good, to which the answer is the message-id: an article does not
// change.
//
// A group, news:group or nntp://h/group, is a Listing; nntp://h/group/1-50 is that
// of a range, and a range without articles is fs.ErrNotExist:
//
//	C: GROUP group
//	C: OVER 1-5000               XOVER if that is not known
//	S: 224 overview follows
//	C: OVER 5001-10000           while the answer to the first is read
//
// Where there is no overview at all it is made of headers, many of which are asked
// for ahead:
//
//	C: LISTGROUP
//	C: HEAD 1
//	C: HEAD 2
//
// The groups that match a pattern, news:comp.* or news:*, are a Listing too:
//
//	C: CAPABILITIES
//	C: LIST NEWSGROUPS comp.*    the descriptions, which are held in memory
//	C: LIST COUNTS comp.*        LIST ACTIVE if there are no counts
//
// Servers that do not know CAPABILITIES read patterns each in their own way, so they
// are asked for all groups, and the pattern is applied here.
//
// The Body of a listing is the server's own lines, those of groups with their
// description after a TAB. An entry of a group leads to the article by its
// message-id, or in an nntp URL by its number; the other way is its attribute
// "also". Its Title and Author are Subject and From with their encoded-words decoded (RFC
// 2047). A line that makes no sense is Unparsed.
//
// # Refusals
//
// 411, 420, 423 and 430 are fs.ErrNotExist; 480, 481 and 482 are ErrLogin; 483 and
// 502 are fs.ErrPermission; 500, 501 and 503 are errors.ErrUnsupported; 400 and 403 are
// ErrTemporary. 400, 403, 481, 482 and 502 are ErrBusy and ErrTemporary if their words say
// that there are too many connections. Text that is no reply is ErrProtocol.
//
// # Logins and TLS
//
// A login is presented once the server has asked for one, which may be in answer to
// any command. Then what was asked for is asked for again:
//
//	C: GROUP group
//	S: 480 login first
//	C: CAPABILITIES
//	C: AUTHINFO USER joe         or AUTHINFO SASL PLAIN, if that is all there is
//	S: 381 password
//	C: AUTHINFO PASS ***
//	S: 281 welcome
//	C: GROUP group
//
// A snews or nntps URL is TLS from the first octet on port 563. For the others the
// Fetcher's StartTLS decides whether STARTTLS comes before anything but MODE READER
// (RFC 4642); it also comes when the server insists by 483. If TLS is a must, a
// refusal is ErrBlocked.
//
// # Connections
//
// A connection that has done its work is kept for another URL of the same server
// and login; one that has turned out to be gone is replaced. When a server says that
// there are too many, there will be no more of them than there are, and fetches
// wait for one to be free: for as long as they would for a silent server.
//
// Before a long listing COMPRESS DEFLATE is asked for, where it is offered (RFC
// 8054). An answer that grows beyond its limit is ErrCoding.
package nntp
