// Package file fetches file URLs, as RFC 1738, section 3.10 and RFC 8089 define
// them, from the machine it runs on.
//
//	file:///etc/motd                /etc/motd; a Document
//	file:/etc/motd                  the same (RFC 8089)
//	file://localhost/etc/motd       the same
//	file://me.example/etc/motd      the same, if Hostname is me.example
//	file://other.example/etc/motd   ErrElsewhere; no other protocol is tried
//	file://etc/motd                 ErrElsewhere, as the host is etc
//	file:///a/b%20c?d               /a/b c?d; a question mark is data
//	file:///a%2Fb                   malformed; an escaped slash is in no name
//	file:///etc/ or file:///etc     the entries of /etc; a Listing
//	file:///C:/x                    C:\x on Windows, where no other host and no
//	                                device can be smuggled into the name
//
// A regular file is a Document. Its MediaType follows from its name, its Size is
// what it was when it was opened, and its modification time is its Validator. A
// range of it is always honoured. What is added while it is read is not part of
// it; if it shrinks, the Body ends in io.ErrUnexpectedEOF, and if it is rewritten
// in place, in fetchers.ErrChanged. A file that the kernel makes up while it is
// read, as in /proc and /sys, has Size -1 and no Validator, and is always sent
// whole.
//
// A directory is a Listing. Its Body is text/uri-list (RFC 2483): the URL of
// each entry, by name, read as it is asked for. One of more than 4,096 entries
// is sorted in pieces of so many. Entries looks at each entry in turn: files are Documents, directories are Listings
// and have a URL with a final slash, symbolic links are what they lead to, and
// all else, including what has vanished, is Unknown. The attribute unix.mode
// is the mode in octal, and unix.link of a symbolic link is its target.
//
// Errors keep the class that the system gives them: fs.ErrNotExist,
// fs.ErrPermission. A device, a socket or a FIFO is ErrSpecial and is not
// opened. A range that begins at the end or behind it is a fetchers.RangeError.
// What no URL can mean is a *url.Error.
package file
