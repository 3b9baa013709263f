// Package dict fetches dict URLs: definitions of words, words that match, and what
// databases a server has (RFC 2229).
//
// Every connection begins with the banner, and CLIENT goes out with the first command:
//
//	S: 220 dict.example dictd 1.13 <auth.mime> <42.1@dict.example>
//	C: CLIENT fetch
//	C: DEFINE wn "ice cream"
//	S: 250 ok
//
// A word, dict://h/d:word:database, is a Document of all its definitions, each with a line
// that says where it is from. Without a database it is "!": the first one that has the
// word. "*" is all of them.
//
//	C: DEFINE * "sun"
//	S: 150 2 definitions retrieved
//	S: 151 "sun" wn "WordNet (r) 3.0"      From WordNet (r) 3.0 [wn]:
//	S: …
//	S: .
//	S: 151 "sun" foldoc "Computing"        From Computing [foldoc]:
//	S: …
//	S: .
//	S: 250 ok                              and with it Body ends in io.EOF
//
// A Document of one definition, dict://h/d:sun:*:2, is its text alone.
//
// Words that match, dict://h/m:su:database:strategy, are a Listing. An entry leads to the
// definitions. Without a strategy it is ".", that of the server; dict://h/m:su:*:prefix:3
// has the third match alone.
//
//	C: MATCH wn prefix "su"
//	S: 152 2 matches found
//	S: wn "sub"                            dict://h/d:sub:wn
//	S: wn "sun"                            dict://h/d:sun:wn
//	S: .
//	S: 250 ok
//
// The server itself, dict://h/ or dict://h/show:db, is a Listing of its databases (SHOW
// DB), and dict://h/show:strat one of its strategies (SHOW STRAT). dict://h/show:server and
// dict://h/show:info:database are texts about it and a database. The Body of a listing is
// the server's own lines.
//
// Without a word a URL is an Index: it asks for one. dict://h/d::wn is a database, and its
// Body is what SHOW INFO says of it; dict://h/m:::soundex is a strategy, with SHOW SERVER.
//
// # Refusals
//
// 550 (no such database) and 552 (no match) are fs.ErrNotExist; 530 is fs.ErrPermission;
// 531 and 532 are ErrLogin; 500 to 503, and 551 (no such strategy), are
// errors.ErrUnsupported; 420 is ErrBusy and ErrTemporary; 421 is ErrTemporary. Where SHOW
// has nothing to list, 554 and 555, the Listing is empty. What is no reply is ErrProtocol, and
// so is another number of definitions than 150 has announced.
//
// # Logins
//
// A server does not ask for a login: it hides databases. So AUTH comes first if there is a
// user, as dict://joe;AUTH@h/ or in the Request, and the server has auth in its banner. What
// it proves is the password, by the MD5 of that and of the banner's message-id (section 3.11).
// It is masked in every Trace. A user without a password is ErrLogin before there is a
// connection, and SASLAUTH in a URL is errors.ErrUnsupported.
//
//	C: CLIENT fetch
//	C: AUTH joe ***
//	S: 250 ok
//	S: 230 authenticated
//
// # Bounds
//
// A word is sent in quotes, or with backslashes if it has a quote or a backslash itself, so it
// is one word whatever is in it. A command has at most 1024 octets, a reply 4 KiB and a line of
// a listing 64 KiB. OPTION MIME is not sent: nothing but text is defined by servers that there
// are. Neither is package net/textproto used, whose lines have no bound and lose their CR.
//
// A connection that has done its work is kept for another URL of the same server and login.
package dict
