// Package tftp fetches tftp URLs (RFC 3617): a file of a server, over UDP (RFC 1350).
//
// A request goes to port 69. The server answers from a port that it takes for this transfer,
// and all that follows is between that and ours. For tftp://h/pub/file:
//
//	C: RRQ pub/file octet tsize=0 blksize=1428 timeout=1 windowsize=32
//	S: OACK tsize=100000 blksize=1428 timeout=1 windowsize=32
//	C: ACK 0
//	S: DATA 1                    1428 octets
//	S: …
//	S: DATA 32
//	C: ACK 32
//	S: …
//	S: DATA 71                   40 octets, fewer than a block, and with it Body ends in io.EOF
//	C: ACK 71
//
// A server takes less than it is asked for, or knows no options and begins with DATA 1, in
// blocks of 512 octets, each of which it wants acknowledged. If it refuses the options by ERROR
// 8, it is asked again without. An OACK with more than was asked for is ErrProtocol. After block
// 65535 comes 0, or in a window of one block 1.
//
// tsize is the Size. A file of another size is io.ErrUnexpectedEOF if it is shorter, and
// ErrProtocol if it is longer. To describe a file is to stop after OACK.
//
// tftp://h/file;mode=netascii is a text: CR LF becomes LF, and CR NUL becomes CR. Its size is
// not known before.
//
// # Losses
//
// If nothing comes for FirstWait, the last datagram is sent again: the request, or the
// acknowledgement of what has come. The waits double, up to eight times the first, and after ten
// or after Stall of the Network that is ErrStalled. A block that has come before is not answered,
// since an answer to each copy doubles every packet after it (RFC 1123, section 4.2.3.1). If
// blocks of a window are missing, the server is told once how far it has come (RFC 7440). The
// last acknowledgement is not sent twice: who misses it has sent everything.
//
// # Who is believed
//
// Nothing is signed or secret. An answer is one from the address that was asked, to the random
// port of a socket that serves this request alone, and then from the port that answered first. A
// datagram from another port of that machine is answered by ERROR 5, and from another machine by
// nothing, since the Network has not judged it; neither disturbs the transfer.
//
// # Refusals
//
// 1 (not found) is fs.ErrNotExist; 2 (access violation) is fs.ErrPermission; 4 and 8 are
// errors.ErrUnsupported; 5 is ErrProtocol. The others have no class, but for 0 in words of the
// system, such as "Permission denied". One in the middle of a file is io.ErrUnexpectedEOF too.
//
// There are no listings and no ranges: a transfer begins with the first octet.
package tftp
