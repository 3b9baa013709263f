// Package wire plays wire scripts: text files that hold one exchange between a
// client and a server, and that document a protocol better than prose.
//
// A script is a txtar file. The text before the first section describes the exchange. The section
// wire holds the exchange. The other sections (url, kind, body, entries, error, ...) are for the
// test that runs the client.
//
//	A directory asked for with ;type=d
//	-- url --
//	ftp://SERVER/pub/maps;type=d
//	-- wire --
//	S: 220 ready
//	C: USER anonymous
//	S: 230 logged in
//	C: CWD pub
//	S: 250 ok
//	C: EPSV
//	S: 229 Entering Extended Passive Mode (|||DATAPORT|)
//	C: NLST maps
//	S: 150 here it comes
//	D: a.txt
//	D: b.txt
//	S: 226 done
//	C? QUIT
//	S: 221 goodbye
//	-- entries --
//	a.txt
//	b.txt
//
// A [Player] is the server of the script, on 127.0.0.1. It stops at the first difference between
// the script and the client. It knows lines, bytes and connections, but no protocol.
//
// # Lines
//
// Each line of the section wire is one step. Empty lines, and lines that begin
// with #, are remarks.
//
//	C: text     the client must send text and CRLF
//	C? text     the client may send text and CRLF
//	C- text     the client must send text, without a line end
//	S: text     the server sends text and CRLF
//	S- text     the server sends text
//	S* 99 text  the server sends text 99 times
//	D: D- D*    the same as S: S- S*, on the data connection
//
// One space follows the mark; the text is the rest of the line. In it \xNN is one byte, \r \n \t \0
// are as in C, and \\ is a backslash: the notation of the captures. A captured "D: a.txt\r", whose
// line ended in CR LF, is "D: a.txt" here, and a captured "D: a.txt", which ended in a bare LF, is
// "D- a.txt\n".
//
// The steps after a C? line, up to the next C line or the end of the connection's steps, are the
// answer to it. They are skipped together with it.
//
// In a C line *** stands for any bytes of that line, such as a secret that a recording omits. In a
// C- line it stands for any bytes up to those that follow it in the script, or for the rest of a
// line. For the asterisks themselves, write \x2a**.
//
// In C, S and D lines SERVER stands for the player's host:port and SERVERPORT
// for the port alone. Write \x53ERVER to mean the word.
//
// # The data connection
//
// DATAPORT in an S line stands for the port of a new data listener, and
// DATAPASV for the same as 127,0,0,1,hi,lo. The first D line that follows
// accepts the client's connection to it. The connection is closed before the
// next step that is not about data; D- without text is an empty transfer.
//
// # Unkind servers
//
//	! close        close the connection, after all that was sent
//	! cut          close it in TLS without close_notify
//	! reset        reset it; bytes sent just before may be lost
//	! stall        do nothing until the client closes
//	! data close   close the data connection here
//	! data reset   reset it
//	! data stall   leave it open, silent, and go on with the script
//	! connection   the next steps are for the client's next connection
//
// After close, cut, reset and stall the player ignores the bytes of the client. The client should
// send something between its connect and a reset: an immediate reset can make the connect fail.
// After ! data stall, later D lines and data verbs go on with the same data connection.
//
// # TLS
//
//	! tls          the client begins TLS here
//
// From then on the steps are in TLS; a data connection is not. [ClientTLS] trusts the server.
//
// # The end
//
// After its last step the server keeps the connection open until the client
// closes it; a byte more from the client is a difference, and so is one
// connection more than the script has. A script without steps says that the
// client must not connect at all.
//
// If a client closes while the server is sending, that alone is no difference, because the player
// cannot know how much the client has read. It is a difference if the script wants more from the
// client.
//
// # Recording
//
// A [Recorder] writes the section wire of a script while a client talks to a server, so that a
// report of a fault becomes a test.
package wire
