// Package telnet answers telnet, telnets, rlogin and tn3270 URLs, which name a
// service rather than an object (RFC 1738, section 3.8; RFC 1630; RFC 4248; RFC
// 6270).
//
// To fetch one is to learn where the service is. Nobody is connected to:
//
//	telnet://user:password@host:port/    Session "telnet", host:port, and the login as advice
//	telnets://host/                      Session "telnets", port 992, over TLS by custom
//	rlogin://user@host/                  Session "rlogin", port 513
//	tn3270://host/                       Session "tn3270", port 23
//
// The Dial of the first two opens a [Session]. The other two are for other
// programs: rlogin wants a port below 1024 on our side (RFC 1282), and tn3270 a
// 3270 terminal (RFC 2355). A name and a password are never sent to anybody, but
// for what a person types.
//
// # Negotiation
//
// Without a Terminal every option is refused, as RFC 854 allows, and what a
// service says first comes all the same:
//
//	S: DO TTYPE      C: WONT TTYPE
//	S: WILL ECHO     C: DONT ECHO
//	S: Welcome.\r\nlogin:
//
// With a Terminal there is agreement on what serves one:
//
//	S: DO TTYPE      C: WILL TTYPE
//	S: SB TTYPE SEND C: SB TTYPE IS XTERM
//	S: DO NAWS       C: WILL NAWS, SB NAWS 80 24     once the size is known, and again with each Resize
//	S: WILL ECHO     C: DO ECHO
//	S: WILL SGA      C: DO SGA                       likewise DO SGA, and BINARY both ways
//
// A request that changes nothing has no answer (RFC 1143), and the client requests
// nothing, so that no loop begins with it; a server that goes on without any data is
// ErrProtocol. NOP, DM, GA, EOR and other commands that need no answer are removed. A
// connection that ends within a command is io.ErrUnexpectedEOF, and so is one in TLS that
// ends without close_notify.
//
// # The library
//
// Package github.com/ziutek/telnet reads the data, in which IAC is doubled. The session negotiates
// and writes, so that a request is never answered in the middle of what is typed. The library ends
// at a NOP, says that every window has 65535 columns, and drops octets that are not UTF-8.
package telnet
