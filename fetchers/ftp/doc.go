// Package ftp fetches ftp and ftps URLs, as RFC 1738, section 3.2 defines them.
//
// Each form of URL is a short conversation. Lines that begin with "C+" go out together with
// the line above, in one write: a flight, which costs one round trip. All conversations
// begin with a login:
//
//	S: 220 ready
//	C: USER anonymous            or the user of the URL
//	C+ PASS ftp@example.com      the password of the URL waits for the 331
//	S: 331 password, please
//	S: 230 welcome
//	C: FEAT
//	C+ TYPE I
//
// then go to the directory, one CWD for each element of the path, decoded after
// the path was split. For ftp://h/pub/a%2Fb/name:
//
//	C+ CWD pub
//	C+ CWD a/b
//
// A document, ftp://h/pub/name, with ";type=a" in TYPE A and with line ends
// converted to LF:
//
//	C+ SIZE name
//	C+ EPSV                      PASV if refused or the port is not reached; its host is ignored
//	S: 211 …, 200, 250, 250, 213 and 229
//	C: MDTM name                 if its time matters, and unless the reply to FEAT lacks it
//	C: RETR name                 while the data connection is dialled; after it, once 425 came
//	S: 150 here it comes
//	S: 226 done                  with it, and SIZE in agreement, Body ends in io.EOF
//
// The time matters to a Request with ModTime, Have, Range or Describe, and of a file that
// is larger than 1 MiB.
//
// If a name is not ASCII, and before a listing, OPTS UTF8 ON begins a flight, unless the
// reply to FEAT lacks UTF8.
//
// A server that takes one command at a time costs one connection to recognise, and
// gets them one by one; see flight.go for how, and for what keeps a flight safe.
//
// A range of a document takes one more command. Where its end was asked for and FEAT offers RANG, that
// tells both ends, and a field Content-Range says so; otherwise what follows the part is
// read and thrown away, since only the end of the file proves where a server began, or
// the whole file comes if that is too much. Of a file whose size is not told the whole is read, too,
// and the part cut out of it; with Have, the whole is the answer:
//
//	C: REST 100                  RANG 100 199; while the data connection is dialled
//	S: 350 go on
//	C: RETR name
//
// What the whole hashes to is asked if the header of the Request has the field
// Want-Repr-Digest, and told in the field Repr-Digest (RFC 9530). It costs the server a
// look at all of the file:
//
//	C: OPTS HASH SHA-256
//	C: HASH name                 XSHA256 name, where FEAT has only that
//	S: 213 SHA-256 0-26 0a1b… name
//
// A directory, ftp://h/pub/, is a Listing by MLSD where FEAT offers it, else by
// LIST, else by NLST:
//
//	C: TYPE A
//	C+ EPSV
//	C: MLSD                      while the data connection is dialled
//
// LIST tells no time of day of a file that is older than about six months: its Entry has
// DateOnly. The target of a symbolic link is the attribute unix.link, or dos.link on Windows.
//
// A list of names, ftp://h/pub/name;type=d, is a Listing too. Where it is empty
// or refused, CWD decides whether the directory is empty or missing:
//
//	C: TYPE A
//	C+ EPSV
//	C: NLST name
//
// If RETR is refused and CWD to the same name is not, the answer is a Redirect to
// the same URL with a slash. A reply of 550 is fs.ErrNotExist, or
// fs.ErrPermission if its words or SIZE say that the file is there; 530 is
// ErrLogin; 532, 552 and 553 are fs.ErrPermission; any other 5xx is
// errors.ErrUnsupported; 4xx is ErrTemporary, and so is 530 with words such as "too many
// users", which is ErrBusy too; text that is no reply is ErrProtocol.
//
// # TLS
//
// An ftps URL is TLS from the first octet on port 990. For an ftp URL the
// Fetcher's TLS decides; RFC 4217 then has
//
//	S: 220 ready
//	C: AUTH TLS
//	S: 234 go ahead              and TLS begins
//
// before USER, in no flight, and both have, after TYPE,
//
//	C+ PBSZ 0
//	C+ PROT P                    data connections resume the session of this one
//
// If TLS is a must, the path of the URL waits for the reply to PROT, and a refusal of AUTH
// or PROT is ErrBlocked. A data connection
// that ends without the close_notify of TLS is cut short, unless SIZE agrees.
//
// # Connections
//
// A control connection that has done its work is kept for another URL of the
// same server and user. It stays in its directory if that URL is in or below it;
// else it goes back to the login directory by the name that PWD told, and where
// that is not possible there is a new connection, which RFC 1738, section 3.2.5
// wants in any case:
//
//	C: NOOP                      if it was idle for more than a second
//	C: CWD /home/joe             what PWD has told, before the first CWD
//	C+ CWD other
//	C+ SIZE name
//	C+ EPSV
//
// PWD is not asked on the first connection to a server, so that a single fetch
// costs nothing more. Some servers serve one client at a time. If a server does not greet
// a second client within a second, the kept connections from which there is no way to the
// next directory end, and all that are kept after 5 seconds. If it says that it lets in no
// more users, they end at once, and the new one is tried once more. If a kept connection turns out to be gone, or out of step,
// before data has come, the fetch begins again on a new one.
//
// # Active mode
//
// With the Fetcher's Active the server connects to us for data, by EPRT or else
// by PORT in place of EPSV. NoEPRT leaves out EPRT, and NoEPSV leaves out EPSV.
package ftp
