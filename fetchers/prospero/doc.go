// Package prospero fetches prospero URLs (RFC 1738, section 3.11; RFC 4157). The client requests
// the access methods of the object, and uses the first supported one.
//
// All requests go to UDP port 1525 of the URL's host with ARDP; see package ardp. Each request is
// self-contained; there is no login and no session, and the user is always guest. For
// prospero://h//pros/name:
//
//	C: VERSION 5 fetch
//	C: AUTHENTICATE '' UNAUTHENTICATED guest
//	C: GET-OBJECT-INFO ACCESS-METHOD+OBJECT-INTERPRETATION+SIZE+LAST-MODIFIED+UNIX-MODES ASCII /pros/name 0
//	S: ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 47' bytes'
//	S: ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''
//	S: ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE LOCAL '' '' '' ''
//
// PROSPERO-CONTENTS of the same server is a Document, which takes one more request. It ends in
// io.EOF after the last packet, if its size matches SIZE:
//
//	C: GET-OBJECT-INFO CONTENTS ASCII /pros/name 0
//	S: ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA 'all of the file'
//
// Other methods, and contents on another server, are a Redirect:
//
//	AFTP INTERNET-D ftp.h ASCII /pub/x BINARY    ftp://ftp.h/pub/x;type=i
//	GOPHER INTERNET-D gopher.h(70) ASCII 0/x 0   gopher://gopher.h/00/x
//	TELNET INTERNET-D telnet.h(2300) '' ''         telnet://telnet.h:2300/
//	WAIS '' '' '' WAIS-GW/wais.h(210)/TEXT/db/id    wais://wais.h/db/TEXT/id
//	PROSPERO-CONTENTS INTERNET-D other.h ASCII x prospero://other.h/x
//
// LOCAL, NFS, AFS and RCP name files of the server or of the local machine, and are never used; FTP
// needs an account. If there is no other method, the error is ErrNotRetrievable.
//
// An object without an access method, or without contents (NONE-FOUND), may be a directory, which
// is a Listing. A link to another service is an entry with the URL of that service:
//
//	C: DIRECTORY ASCII /pros 0
//	C: LIST ATTRIBUTES COMPONENTS
//	S: LINK  L FILE name INTERNET-D PROS.EXAMPLE ASCII '/pros/name' 0
//	S: LINK  L EXTERNAL README INTERNET-D FTP.EXAMPLE ASCII '/pub/README' 0
//	S: ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' BINARY
//
// If an object has moved, the client requests it at its new location. A location on another server
// is a Redirect, for the Client to decide:
//
//	S: FORWARDED INTERNET-D OTHER.EXAMPLE(11525) ASCII '/new place/file' 0
//
// The field OBJECT-VERSION is sent as the number after the name, and ID=REMOTE%204711 as a line
// after the command; a URL with any other field is ErrNotRetrievable:
//
//	C: SELECT OBJECT FIELD ID REMOTE 4711
//
// FAILURE NOT-FOUND and NOT-A-DIRECTORY are fs.ErrNotExist, NOT-AUTHORIZED and similar
// fs.ErrPermission. Other failures, and ERROR, are a StatusError without a class. A reply that is
// not version 5 of Prospero over version 0 of ARDP is ErrProtocol, and a timeout is ErrStalled.
//
// The protocol has no signatures and no encryption (RFC 4157, section 3). A location from a server
// is followed only under the Client's policy, through the same Network.
package prospero
