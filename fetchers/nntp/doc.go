// Package nntp fetches news, snews, nntp and nntps URLs, as RFC 1738, sections 3.6
// and 3.7, and RFC 5538 define them.
//
// Each form of URL is a short conversation (RFC 3977). All begin with
//
//	S: 201 ready, no posting
//	C: MODE READER               which all servers answer or ignore
//	S: 201 ready, no posting
//
// An article by its message-id, news:id or news://h/id, is a Document of type message/rfc822,
// unchanged except for the dots that were added to lines. Its header is also in Header:
//
//	C: ARTICLE <id>
//	S: 220 0 <id>
//	S: …
//	S: .                         after this, Body ends in io.EOF
//
// An article by its number, nntp://h/group/7:
//
//	C: GROUP group               unless it is the current group
//	S: 211 13 1 19 group
//	C: ARTICLE 7
//
// The message-id or number in the reply must be that of the request. A reply about another article,
// or another group, is ErrProtocol, and the connection is closed.
//
// With Request.Describe, HEAD replaces ARTICLE. With Request.Have, HEAD precedes ARTICLE, and the
// message-id is compared: an article does not change.
//
// A group, news:group or nntp://h/group, is a Listing; nntp://h/group/1-50 is that of a range. A
// range without articles is fs.ErrNotExist:
//
//	C: GROUP group
//	C: OVER 1-5000               XOVER if OVER is not supported
//	S: 224 overview follows
//	C: OVER 5001-10000           while the answer to the first is read
//
// If the server has no overview, the client makes it from headers, many of which are requested
// ahead:
//
//	C: LISTGROUP
//	C: HEAD 1
//	C: HEAD 2
//
// The groups that match a pattern, news:comp.* or news:*, are a Listing too:
//
//	C: CAPABILITIES
//	C: LIST NEWSGROUPS comp.*    the descriptions, which are held in memory
//	C: LIST COUNTS comp.*        LIST ACTIVE if COUNTS is not supported
//
// Servers without CAPABILITIES interpret patterns in different ways. Therefore the client requests
// all groups from them, and applies the pattern itself.
//
// The Body of a listing consists of the server's lines; those of groups have the description after
// a TAB. An entry of a group leads to the article by its message-id, or in an nntp URL by its
// number; the other URL is its attribute "also". Its Title and Author are Subject and From with
// decoded encoded-words (RFC 2047). A malformed line is Unparsed.
//
// # Refusals
//
// 411, 420, 423 and 430 are fs.ErrNotExist; 480, 481 and 482 are ErrLogin; 483 and 502 are
// fs.ErrPermission; 500, 501 and 503 are errors.ErrUnsupported; 400 and 403 are ErrTemporary. 400,
// 403, 481, 482 and 502 are ErrBusy and ErrTemporary if their text mentions too many connections.
// Text that is no reply is ErrProtocol.
//
// # Logins and TLS
//
// A login is sent after the server has demanded one, which may be in answer to any command. Then
// the command is repeated:
//
//	C: GROUP group
//	S: 480 login first
//	C: CAPABILITIES
//	C: AUTHINFO USER joe         or AUTHINFO SASL PLAIN, if the server has only that
//	S: 381 password
//	C: AUTHINFO PASS ***
//	S: 281 welcome
//	C: GROUP group
//
// A snews or nntps URL uses TLS from the first byte, on port 563. For the others the Fetcher's
// StartTLS decides whether STARTTLS (RFC 4642) follows MODE READER; it is also sent when the server
// demands it by 483. If TLS is required, a refusal is ErrBlocked.
//
// # Connections
//
// A connection is kept for another URL of the same server and login; a closed one is replaced. If a
// server refuses a connection because there are too many, the present number becomes the limit.
// Further fetches wait for a free connection, up to the stall limit.
//
// Before a long listing the client requests COMPRESS DEFLATE, if the server offers it (RFC 8054).
// An answer that expands beyond its limit is ErrCoding.
package nntp
