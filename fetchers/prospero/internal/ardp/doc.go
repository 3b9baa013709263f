// Package ardp is a client for ARDP version 0, the Asynchronous Reliable Delivery Protocol below
// Prospero: appendix B of "The Prospero Protocol" (Neuman and Augart, 1993), with the behaviour of
// the programs of 1994.
//
// There are no connections. A message consists of datagrams, each with a header that may end after
// any field; missing fields have defaults:
//
//	0      version (0) in the top two bits, length of the header in the others
//	1-2    connection ID, the same in the request and all answers to it
//	3-4    packet number, from 1; 0 is a control packet
//	5-6    packets in this message; 0 is not known yet
//	7-8    received through: all the peer's packets up to this one have arrived
//	9-10   wait: seconds until the answer
//	11     flags: 80 acknowledgement requested, 40 no data
//	12     option: 1 cancel or refused, 4 and 5 redirect, 8 not supported
//	13-    arguments of flags and option
//
// The packets of a reply may arrive in any order and more than once:
//
//	C: 09 4711 0001 0001 0000 "VERSION 5 …"
//	S: 07 4711 0001 0000 "LINK …"         the total is not known yet
//	S: 07 4711 0002 0002 "…"              the last of two packets
//
// The client recovers lost packets. It repeats the request after 4, 8 and 16 seconds without a new
// packet, and fails 32 seconds later, or at the Network's stall limit. If the server has
// acknowledged the whole request, the client sends only an acknowledgement:
//
//	C: 09 4711 0000 0000 0005             all packets up to 5 have arrived
//
// which is also the answer to a packet with the acknowledgement flag. A server sends at most a
// window, commonly of 16 packets, before it has that answer. A slow reader therefore slows the
// server down, and only packets out of order are kept in memory.
//
// A server that needs time asks for it, and the client does not repeat the request before. This
// does not extend the stall limit or the caller's deadline. A reader that closes before the end
// cancels the request:
//
//	S: 0b 4711 0000 0000 0000 00b4        wait for 180 seconds
//	C: 0d 4711 0000 0000 0000 0000 00 01  cancel
//
// # Authenticity
//
// The protocol has no signatures. A reply has to come from the address of the request, with the
// random ID of the request, to the random port of a socket for this request alone. Any other
// datagram is ignored; only if nothing else has arrived when the request would be repeated, the
// error names the kind of server.
//
// A server that also listens on its privileged port answers from there, to the port of the request.
// If there is no answer in the first wait, the request is repeated from a new socket, which
// receives from every port of that address. The first socket is connected instead, since only a
// connected socket is told that no server listens.
package ardp
