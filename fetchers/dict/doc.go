// Package dict fetches dict URLs: definitions of words, matching words, and the databases of a
// server (RFC 2229).
//
// Every connection begins with the banner. The client sends CLIENT together with the first command:
//
//	S: 220 dict.example dictd 1.13 <auth.mime> <42.1@dict.example>
//	C: CLIENT fetch
//	C: DEFINE wn "ice cream"
//	S: 250 ok
//
// A word, dict://h/d:word:database, is a Document of all its definitions, each after a line with
// its source. The default database is "!": the first one with the word. "*" means all databases.
//
//	C: DEFINE * "sun"
//	S: 150 2 definitions retrieved
//	S: 151 "sun" wn "WordNet (r) 3.0"      From WordNet (r) 3.0 [wn]:
//	S: …
//	S: .
//	S: 151 "sun" foldoc "Computing"        From Computing [foldoc]:
//	S: …
//	S: .
//	S: 250 ok                              which ends Body with io.EOF
//
// A Document of one definition, dict://h/d:sun:*:2, is only the text of the definition.
//
// Matching words, dict://h/m:su:database:strategy, are a Listing. The URL of an entry names the
// definitions. The default strategy is ".", the server's own; dict://h/m:su:*:prefix:3 has only the
// third match.
//
//	C: MATCH wn prefix "su"
//	S: 152 2 matches found
//	S: wn "sub"                            dict://h/d:sub:wn
//	S: wn "sun"                            dict://h/d:sun:wn
//	S: .
//	S: 250 ok
//
// A server, dict://h/ or dict://h/show:db, is a Listing of its databases (SHOW DB), and
// dict://h/show:strat one of its strategies (SHOW STRAT). dict://h/show:server and
// dict://h/show:info:database are descriptions of the server and of a database. The Body of a
// listing has the unmodified lines of the server.
//
// A URL without a word is an Index, to be queried with a word. dict://h/d::wn is a database, whose
// Body is the answer to SHOW INFO; dict://h/m:::soundex is a strategy, with SHOW SERVER.
//
// # Errors
//
// 550 (no such database) and 552 (no match) are fs.ErrNotExist; 530 is fs.ErrPermission; 531 and
// 532 are ErrLogin; 500 to 503, and 551 (no such strategy), are errors.ErrUnsupported; 420 is
// ErrBusy and ErrTemporary; 421 is ErrTemporary. If SHOW has nothing to list, 554 and 555, the
// Listing is empty. A malformed reply is ErrProtocol, and so is a number of definitions that
// differs from 150.
//
// # Logins
//
// A server does not ask for a login; it hides databases. The client therefore sends AUTH first, if
// there is a user, as in dict://joe;AUTH@h/ or in the Request, and the banner of the server
// contains auth. AUTH proves the password with the MD5 of the banner's message-id and the password
// (section 3.11). The proof is masked in every Trace. A user without a password is ErrLogin before
// a connection is made, and SASLAUTH in a URL is errors.ErrUnsupported.
//
//	C: CLIENT fetch
//	C: AUTH joe ***
//	S: 250 ok
//	S: 230 authenticated
//
// # Limits
//
// A word is sent in quotes, or with backslashes if it contains a quote or a backslash, so that it
// is always a single word. A command has at most 1024 bytes, a reply 4 KiB and a line of a listing
// 64 KiB. OPTION MIME is not sent, since known servers only have plain text. Package net/textproto
// is not used, since its lines have no limit and lose their CR.
//
// An idle connection is kept for another URL with the same server and login.
package dict
