// Package gopher fetches gopher and gophers URLs, as RFC 1738, section 3.4 defines
// them: items and menus of RFC 1436, and Gopher+ of 1993.
//
// Each form of URL is one line to the server, which answers and closes. The first
// character of the path is the type of the item. It is not sent, and says how the
// answer is read. For gopher://h/0/file.txt, a text:
//
//	C: /file.txt
//	S: one line
//	S: and another
//	S: .                         dropped, and Confirmed; most servers send none
//
// The dot counts as the last line before the server closes only, since the servers
// of today send text as it is. For the same reason no other dot is taken away, and
// where a server keeps the connection open after a dot, that is the end only when it
// has been silent for the stall limit. A binary, gopher://h/9/file.zip, is what comes until the server closes. A menu,
// gopher://h/1/dir or gopher://h, is a Listing:
//
//	C: /dir
//	S: 0A text<TAB>/dir/text<TAB>h<TAB>70
//	S: iA line of text<TAB><TAB>error.host<TAB>1
//	S: .                         which ends it
//
// Its entries have an [Item] in Sys. Lines of type i and 3 are of Kind Text. Items of
// type 8 and T have telnet and tn3270 URLs; those of type h whose selector is "URL:"
// and a URL have that URL. A line that makes no sense is Unparsed.
//
// A search, gopher://h/7/find%09two%20words, is a Listing too, and without words an
// Index, for which nothing is sent:
//
//	C: /find<TAB>two words
//
// A URL of type 8, T or 2 is a Session, and one of type h with "URL:" is a Redirect.
// Nothing is sent for these either.
//
// # Gopher+
//
// After a second %09 stands a Gopher+ string. There is one TAB before it, and two for
// type 7 or with words to search for. For gopher://h/0/file%09%09+, the default view,
// and gopher://h/0/file%09%09+text/plain%20De_DE, another:
//
//	C: /file<TAB>+
//	S: +1234                     so many octets follow; or +-1, up to a dot;
//	                             or +-2, until the server closes
//
// Where the answer has no such line, the server does not speak Gopher+, and what it
// sends is the plain item, if that is what the URL asks for. A "-" in place of the
// "+" is a failure, with a code and words:
//
//	S: --1
//	S: 1 The Admin <admin@h>     1 is fs.ErrNotExist, or fs.ErrPermission if the words
//	S: It does not exist         say so; 2 is ErrTemporary; 3 is a Redirect
//	S: .
//
// For gopher://h/0/file%09%09!, the attributes of an item, which are in Body as they
// come and in Header as a field for each block:
//
//	C: /file<TAB>!
//	S: +-1
//	S: +INFO: 0A file<TAB>/file<TAB>h<TAB>70<TAB>+
//	S: +VIEWS:
//	S:  Text/plain De_DE: <10k>
//	S: .
//
// With "$" it is those of all items of a directory, as a Listing. With "?" it is an
// Index: the item has a form, the attribute ASK, which [FormOf] reads and [Form.Fill]
// fills. The URL of a filled form holds its lines, and they are sent as they are:
//
//	C: /form<TAB>+<TAB>1
//	C: +-1
//	C: the first answer
//	C: .
//
// No other URL puts CR or LF on the wire.
//
// Plain gopher has no status. An answer that is nothing but a line of type 3, or one
// that leads to "error.host", is an error, by the same words; servers that say it in
// prose cannot be told from those that mean it. Only a reset, silence, and in Gopher+
// fewer octets than announced or a missing dot prove a cut.
//
// A gophers URL uses TLS from the first octet, on the same port. An answer that ends
// without the close_notify of TLS is cut short, unless a dot or a length confirms its
// end. pygopherd 3.0 never sends close_notify; a Gopher+ request (%09%09+) gets the
// length.
package gopher
