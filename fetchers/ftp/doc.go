// Package ftp fetches ftp URLs, as RFC 1738, section 3.2 defines them.
//
// Each form of URL is a short conversation. All begin with a login:
//
//	S: 220 ready
//	C: USER anonymous            or the user of the URL
//	S: 331 password, please
//	C: PASS ftp@example.com      or the password of the URL
//	S: 230 welcome
//	C: FEAT
//	C: TYPE I
//
// then go to the directory, one CWD for each element of the path, decoded after
// the path was split. For ftp://h/pub/a%2Fb/name:
//
//	C: CWD pub
//	C: CWD a/b
//
// A document, ftp://h/pub/name, with ";type=a" in TYPE A and with line ends
// converted to LF:
//
//	C: SIZE name
//	C: MDTM name
//	C: EPSV                      PASV if refused; its host is ignored
//	C: RETR name
//	S: 150 here it comes
//	S: 226 done                  with it, and SIZE in agreement, Body ends in io.EOF
//
// A directory, ftp://h/pub/, is a Listing by MLSD where FEAT offers it, else by
// LIST:
//
//	C: TYPE A
//	C: EPSV
//	C: MLSD
//
// A list of names, ftp://h/pub/name;type=d, is a Listing too:
//
//	C: TYPE A
//	C: EPSV
//	C: NLST name
//
// If RETR is refused and CWD to the same name is not, the answer is a Redirect to
// the same URL with a slash. A reply of 550 is fs.ErrNotExist, or
// fs.ErrPermission if its words or SIZE say that the file is there; 530 is
// ErrLogin; 4xx is ErrTemporary; what is no reply at all is ErrProtocol.
package ftp
