// Package finger fetches finger URLs, which name information about the users of a machine (RFC
// 1288). A URL is finger://host:port/request, where the request is decoded as a whole
// (draft-ietf-uri-url-finger-03).
//
// The request is one line. The server answers and closes the connection. For finger://h/joe:
//
//	C: joe
//	S: Login: joe                Name: Joe User
//	S: No plan.
//
// finger://h/ lists the users who are logged in, with an empty line; finger://h/%2FW%20joe requests
// more details, with "/W joe". The answer is a text. The protocol has no error code and no mark for
// the end: a server says "no such user" in prose, and Confirmed stays false. Only a reset and a
// timeout are errors.
//
// A Registry refuses any port but 79, unless AnyPort allows it: a single line is enough to command
// other servers.
//
// A request with "@" would make the server forward it to another server, which may be reachable
// only from there (RFC 1288, section 3.2.1). It is ErrBlocked, and nothing is sent; use
// finger://other/joe instead.
package finger
