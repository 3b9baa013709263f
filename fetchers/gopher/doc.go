// Package gopher fetches gopher and gophers URLs, as RFC 1738, section 3.4 defines
// them: items and menus of RFC 1436, and Gopher+ of 1993.
//
// Each form of URL is one request line to the server, which answers and closes the connection. The
// first character of the path is the item type. It is not sent; it tells the client how to read the
// answer. For gopher://h/0/file.txt, a text:
//
//	C: /file.txt
//	S: one line
//	S: and another
//	S: .                         dropped, and Confirmed; most servers send none
//
// The dot counts only as the last line before the server closes, since current servers send text
// unmodified. For the same reason no other dot is removed. If a server keeps the connection open
// after a dot, that is the end only after the stall limit. A binary, gopher://h/9/file.zip, ends
// when the server closes the connection. A menu, gopher://h/1/dir or gopher://h, is a Listing:
//
//	C: /dir
//	S: 0A text<TAB>/dir/text<TAB>h<TAB>70
//	S: iA line of text<TAB><TAB>error.host<TAB>1
//	S: .                         which ends it
//
// Its entries have an [Item] in Sys. Lines of type i and 3 are of Kind Text. Items of type 8 and T
// have telnet and tn3270 URLs. An item of type h whose selector is "URL:" and a URL has that URL. A
// malformed line is Unparsed.
//
// A search, gopher://h/7/find%09two%20words, is a Listing too. Without words it is an Index, and
// nothing is sent:
//
//	C: /find<TAB>two words
//
// A URL of type 8, T or 2 is a Session, and one of type h with "URL:" is a Redirect.
// Nothing is sent for these either.
//
// # Gopher+
//
// A Gopher+ string follows a second %09. On the wire it follows one TAB, or two for type 7 or with
// search words. For gopher://h/0/file%09%09+, the default view, and
// gopher://h/0/file%09%09+text/plain%20De_DE, another view:
//
//	C: /file<TAB>+
//	S: +1234                     a body of 1234 bytes; or +-1, up to a dot;
//	                             or +-2, until the server closes
//
// If the answer has no status line, the server does not support Gopher+; the client accepts the
// plain item, if the URL requests the default view. A "-" instead of the "+" is a failure, with a
// code and a message:
//
//	S: --1
//	S: 1 The Admin <admin@h>     1 is fs.ErrNotExist, or fs.ErrPermission if the words
//	S: It does not exist         say so; 2 is ErrTemporary; 3 is a Redirect
//	S: .
//
// For gopher://h/0/file%09%09!, the attributes of an item, which are unmodified in Body, and in
// Header as a field for each block:
//
//	C: /file<TAB>!
//	S: +-1
//	S: +INFO: 0A file<TAB>/file<TAB>h<TAB>70<TAB>+
//	S: +VIEWS:
//	S:  Text/plain De_DE: <10k>
//	S: .
//
// "$" requests the attributes of all items of a directory, as a Listing. "?" is an Index: the item
// has a form, the attribute ASK, which [FormOf] parses and [Form.Fill] fills in. The URL of a
// filled-in form holds its lines, which are sent unmodified:
//
//	C: /form<TAB>+<TAB>1
//	C: +-1
//	C: the first answer
//	C: .
//
// No other URL puts CR or LF on the wire.
//
// Plain gopher has no status. An answer that consists of a line of type 3, or of one with the host
// "error.host", is an error, whose class depends on its words; an error in prose cannot be
// distinguished from a text. Only a reset, a timeout, and in Gopher+ a missing dot or missing bytes
// prove a cut.
//
// A gophers URL uses TLS from the first byte, on the same port. An answer that ends without the
// close_notify of TLS is cut off, unless a dot or a length confirms its end. pygopherd 3.0 never
// sends close_notify; a Gopher+ request (%09%09+) gets the length.
package gopher
