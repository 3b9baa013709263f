// Package ftp fetches ftp and ftps URLs, as RFC 1738, section 3.2 defines them.
//
// Each form of URL is a short conversation. Lines that begin with "C+" are sent together with the
// line above, in one write: a flight, which takes one round trip. All conversations begin with a
// login:
//
//	S: 220 ready
//	C: USER anonymous            or the user of the URL
//	C+ PASS ftp@example.com      the password of a URL is sent after the 331
//	S: 331 password, please
//	S: 230 welcome
//	C: FEAT
//	C+ TYPE I
//
// Then the client changes to the directory, by one CWD for each element of the path, which is
// decoded after the path was split. For ftp://h/pub/a%2Fb/name:
//
//	C+ CWD pub
//	C+ CWD a/b
//
// A document, ftp://h/pub/name, is transferred by RETR. With ";type=a" the client sends TYPE A, and
// converts line ends to LF:
//
//	C+ SIZE name
//	C+ EPSV                      PASV if refused or the port is not reached; its host is ignored
//	S: 211 …, 200, 250, 250, 213 and 229
//	C: MDTM name                 if the time is needed, and unless the reply to FEAT lacks it
//	C: RETR name                 while the data connection is dialled; after it, if 425 came before
//	S: 150 here it comes
//	S: 226 done                  after this, and SIZE bytes, Body ends in io.EOF
//
// The time is needed for a Request with ModTime, Have, Range or Describe, and for a file larger
// than 1 MiB.
//
// If a name is not ASCII, and before a listing, a flight begins with OPTS UTF8 ON, unless the reply
// to FEAT lacks UTF8.
//
// A server that accepts only one command at a time is recognized at the cost of one connection. It
// then receives its commands one by one; flight.go describes how, and the rules that keep a flight
// safe.
//
// A range of a document takes one more command. If the range has an end and FEAT lists RANG, RANG
// sends both ends, and the Resource has a field Content-Range. Otherwise the bytes after the range
// are read and discarded, since only the end of the file proves where the server began; if there
// are too many, the whole file is returned. If the size of a file is unknown, the whole file is
// transferred and the range cut out of it; with Have, the whole file is returned:
//
//	C: REST 100                  RANG 100 199; while the data connection is dialled
//	S: 350 go on
//	C: RETR name
//
// If the header of the Request has the field Want-Repr-Digest, the client requests the hash of the
// whole file, and the Resource has the field Repr-Digest (RFC 9530). The server then reads the
// whole file:
//
//	C: OPTS HASH SHA-256
//	C: HASH name                 XSHA256 name, if FEAT lists only that
//	S: 213 SHA-256 0-26 0a1b… name
//
// A directory, ftp://h/pub/, is a Listing by MLSD if FEAT lists MLST, else by LIST, else by NLST:
//
//	C: TYPE A
//	C+ EPSV
//	C: MLSD                      while the data connection is dialled
//
// LIST contains no time of day for a file older than about six months: its Entry has DateOnly. The
// target of a symbolic link is the attribute unix.link, or dos.link on Windows.
//
// A list of names, ftp://h/pub/name;type=d, is a Listing too. If it is empty or refused, CWD shows
// whether the directory is empty or missing:
//
//	C: TYPE A
//	C+ EPSV
//	C: NLST name
//
// If RETR is refused and CWD to the same name is accepted, the result is a Redirect to the same URL
// with a slash. A reply of 550 is fs.ErrNotExist, or fs.ErrPermission if its text or SIZE shows
// that the file exists; 530 is ErrLogin; 532, 552 and 553 are fs.ErrPermission; any other 5xx is
// errors.ErrUnsupported; 4xx is ErrTemporary. 530 with text such as "too many users" is
// ErrTemporary and ErrBusy. Text that is no reply is ErrProtocol.
//
// # TLS
//
// An ftps URL uses TLS from the first byte, on port 990. For an ftp URL the Fetcher's AuthTLS
// decides; RFC 4217 then requires
//
//	S: 220 ready
//	C: AUTH TLS
//	S: 234 go ahead              and TLS starts
//
// before USER, in no flight, and for both, after TYPE,
//
//	C+ PBSZ 0
//	C+ PROT P                    data connections resume the session of this one
//
// If TLS is required, the path of the URL is sent after the reply to PROT, and a refusal of AUTH or
// PROT is ErrBlocked. A data connection that ends without the close_notify of TLS is truncated,
// unless the size agrees with SIZE.
//
// # Connections
//
// A control connection is kept for another URL of the same server and user. It stays in its
// directory if the next URL is in or below it. Otherwise it returns to the login directory by the
// path that PWD returned. If that is not possible, the client makes a new connection, which RFC
// 1738, section 3.2.5 requires in any case:
//
//	C: NOOP                      if it was idle for more than a second
//	C: CWD /home/joe             the path of PWD, which was sent before the first CWD
//	C+ CWD other
//	C+ SIZE name
//	C+ EPSV
//
// PWD is not sent on the first connection to a server, so that a single fetch takes no additional
// command.
//
// Some servers serve one client at a time. If a server does not greet a second client within a
// second, the client closes the kept connections that cannot change to the next directory, and
// after 5 seconds all kept connections. If the server replies that it is full, the client closes
// them at once, and connects once more. If a kept connection turns out to be closed, or out of
// step, before data has arrived, the fetch is repeated on a new one.
//
// # Active mode
//
// If Active is set, the server opens the data connections, to an address sent by EPRT or else by
// PORT, in place of EPSV. NoEPRT disables EPRT, and NoEPSV disables EPSV.
package ftp
