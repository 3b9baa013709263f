// Package telnet fetches telnet, telnets, rlogin and tn3270 URLs, which name a service rather than
// an object (RFC 1738, section 3.8; RFC 1630; RFC 4248; RFC 6270).
//
// Fetch returns the address of the service, and opens no connection:
//
//	telnet://user:password@host:port/    Session "telnet", host:port, and the login as advice
//	telnets://host/                      Session "telnets", port 992, over TLS by custom
//	rlogin://user@host/                  Session "rlogin", port 513
//	tn3270://host/                       Session "tn3270", port 23
//
// For telnet and telnets, Dial opens a [Session]. The other two schemes are for other programs:
// rlogin needs a client port below 1024 (RFC 1282), and tn3270 a 3270 terminal (RFC 2355). The
// client never sends the user name or the password of the URL; only the user types them.
//
// # Negotiation
//
// Without a Terminal the client refuses every option, as RFC 854 allows, and still receives the
// greeting of the service:
//
//	S: DO TTYPE      C: WONT TTYPE
//	S: WILL ECHO     C: DONT ECHO
//	S: Welcome.\r\nlogin:
//
// With a Terminal the client accepts the options for a terminal:
//
//	S: DO TTYPE      C: WILL TTYPE
//	S: SB TTYPE SEND C: SB TTYPE IS XTERM
//	S: DO NAWS       C: WILL NAWS, SB NAWS 80 24     once the size is known, and again with each Resize
//	S: WILL ECHO     C: DO ECHO
//	S: WILL SGA      C: DO SGA                       likewise DO SGA, and BINARY both ways
//
// A request that changes nothing gets no answer (RFC 1143). The client requests nothing, so that it
// cannot begin a loop; a server that negotiates without end and without data is ErrProtocol. NOP,
// DM, GA, EOR and other commands that need no answer are removed. A connection that ends within a
// command is io.ErrUnexpectedEOF, and so is a TLS connection that ends without close_notify.
//
// # Division of work
//
// Package github.com/ziutek/telnet decodes the data, in which IAC is doubled. Package telnet itself
// negotiates and writes, so that an answer to the server never splits typed data. The library stops
// at a NOP, reports a width of 65535 columns for every window, and drops bytes that are not UTF-8.
package telnet
