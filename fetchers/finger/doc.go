// Package finger fetches finger URLs: what a machine says about its users, or about
// whatever else it answers to (RFC 1288). A URL is finger://host:port/request, where
// the request is decoded as a whole (draft-ietf-uri-url-finger-03).
//
// It is one line to the server, which answers and closes. For finger://h/joe:
//
//	C: joe
//	S: Login: joe                Name: Joe User
//	S: No plan.
//
// finger://h/ asks who is logged in, by an empty line, and finger://h/%2FW%20joe asks
// for more, by "/W joe". What comes is a text. The protocol has no word for what is
// missing and none for the end: a server says "no such user" in prose, and Confirmed
// stays false. Only a reset and silence are errors.
//
// A Registry refuses any port but 79, unless AnyPort allows it: one line is all that it
// takes to command other servers.
//
// A request with "@" would have the server ask another one, wherever that is and
// whatever may be said to it from here (RFC 1288, section 3.2.1). It is ErrBlocked,
// and nothing is sent; finger://other/joe asks the other one.
package finger
