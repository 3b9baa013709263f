// Package tftp fetches tftp URLs (RFC 3617): files of a server, over UDP (RFC 1350).
//
// A request goes to port 69. The server answers from a port for this transfer, and both sides use
// these two ports from then on. For tftp://h/pub/file:
//
//	C: RRQ pub/file octet tsize=0 blksize=1428 timeout=1 windowsize=32
//	S: OACK tsize=100000 blksize=1428 timeout=1 windowsize=32
//	C: ACK 0
//	S: DATA 1                    1428 bytes
//	S: …
//	S: DATA 32
//	C: ACK 32
//	S: …
//	S: DATA 71                   40 bytes, fewer than a block, so that Body ends in io.EOF
//	C: ACK 71
//
// A server may grant less than requested. A server without options begins with DATA 1, in blocks of
// 512 bytes that are acknowledged one by one. If it refuses the options with ERROR 8, the client
// repeats the request without them. An OACK that grants more than requested is ErrProtocol. Block
// 65535 is followed by 0, or in a window of one block by 1.
//
// tsize is the Size. If the file is shorter, the error is io.ErrUnexpectedEOF, and if it is longer,
// ErrProtocol. A description ends after OACK.
//
// tftp://h/file;mode=netascii is a text: CR LF becomes LF, and CR NUL becomes CR. Its size is
// unknown.
//
// # Lost datagrams
//
// If nothing arrives for FirstWait, the client repeats its last datagram: the request, or an
// acknowledgement. The wait doubles, up to eight times the first. After ten repetitions, or at the
// stall limit of the Network, the error is ErrStalled. A repeated block gets no answer, since an
// answer to each copy would double every later packet (RFC 1123, section 4.2.3.1). If blocks of a
// window are missing, the client acknowledges the last block before the gap once (RFC 7440). The
// last acknowledgement is not repeated: the server has then sent everything.
//
// # Authenticity
//
// The protocol has no signatures and no encryption. An answer has to come from the address of the
// request, to the random port of a socket for this request alone, and later answers from the port
// of the first one. A datagram from another port of that machine is answered with ERROR 5. A
// datagram from another machine is ignored, since the Network has not approved that address;
// neither disturbs the transfer.
//
// # Errors
//
// 1 (not found) is fs.ErrNotExist; 2 (access violation) is fs.ErrPermission; 4 and 8 are
// errors.ErrUnsupported; 5 is ErrProtocol. The others have no class, except 0 with a message of the
// operating system, such as "Permission denied". An error in the middle of a file is
// io.ErrUnexpectedEOF too.
//
// There are no listings and no ranges: a transfer begins with the first byte.
package tftp
