// Package ardp is the client's side of ARDP version 0, the Asynchronous Reliable
// Delivery Protocol on which Prospero is carried: appendix B of "The Prospero
// Protocol" (Neuman and Augart, 1993), and what the programs of 1994 made of it.
//
// There are no connections. A message is datagrams, each with a header that may
// end after any field; the fields that are missing have their defaults:
//
//	0      version (0) in the top two bits, length of the header in the others
//	1-2    connection ID, the same in the request and all that answers it
//	3-4    packet number from 1 on; 0 is a control packet
//	5-6    packets in this message; 0 is not known yet
//	7-8    received through: all the peer's packets up to this one have come
//	9-10   wait: so many seconds until there is an answer
//	11     flags: 80 please acknowledge, 40 no data for the application
//	12     option: 1 cancel or refused, 4 and 5 redirect, 8 not supported
//	13-    what flags and option need
//
// A request and its reply, which may come in any order and more than once:
//
//	C: 09 4711 0001 0001 0000 "VERSION 5 …"
//	S: 07 4711 0001 0000 "LINK …"         more will come
//	S: 07 4711 0002 0002 "…"              and that was all
//
// What is lost is sent again at the client's wish. It repeats the request after
// 4, 8 and 16 seconds without a new packet, and gives up 32 seconds later, or when
// the Network's stall limit is over. If the server has said that it has all of the
// request, an acknowledgement is enough:
//
//	C: 09 4711 0000 0000 0005             all up to packet 5 has come
//
// which is also the answer to a packet that asks for one. A server sends no more
// than a window, commonly of 16 packets, before it has that answer. So a reader
// that is slow slows the server down, and nothing is kept but what came out of
// order.
//
// A server that needs time says so, and is not asked again before. That does not
// lift the stall limit; the caller's deadline counts most. Who leaves before the
// end cancels:
//
//	S: 0b 4711 0000 0000 0000 00b4        wait for 180 seconds
//	C: 0d 4711 0000 0000 0000 0000 00 01  never mind
//
// # Who is believed
//
// Nothing is signed. A reply is one from the address that the request went to,
// with the random ID of the request, to the random port of a socket that serves
// this request alone. What does not fit is ignored; only if nothing else has come
// when it is time to ask again does it tell what the server is instead.
//
// A server that also listens on its privileged port answers from there to whatever
// port it was asked at. When the first wait is over without a word, the request is
// sent from a new socket, which hears every port of that address. It is not the
// first one, since only a connected socket is told that nobody listens.
package ardp
