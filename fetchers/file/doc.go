// Package file fetches file URLs, as RFC 1738, section 3.10 and RFC 8089 define them, from the
// local machine.
//
//	file:///etc/motd                /etc/motd; a Document
//	file:/etc/motd                  the same (RFC 8089)
//	file://localhost/etc/motd       the same
//	file://me.example/etc/motd      the same, if Hostname is me.example
//	file://other.example/etc/motd   ErrElsewhere; no other protocol is tried
//	file://etc/motd                 ErrElsewhere: the host is etc
//	file:///a/b%20c?d               /a/b c?d; a question mark is data
//	file:///a%2Fb                   malformed: no name can contain a slash
//	file:///etc/ or file:///etc     the entries of /etc; a Listing
//	file:///C:/x                    C:\x on Windows; a name with a host or
//	                                device is refused
//
// A regular file is a Document. Its MediaType follows from its name. Its Size is the size when it
// was opened, and its modification time is its Validator. A request for a range is always honoured.
// Bytes that are appended during reading are not part of the Document. If the file shrinks, the
// Body ends in io.ErrUnexpectedEOF, and if it is rewritten in place, in fetchers.ErrChanged. A file
// that the kernel generates during reading, as in /proc and /sys, has Size -1 and no Validator, and
// is always sent whole.
//
// A directory is a Listing. Its Body is text/uri-list (RFC 2483): the URL of each entry, sorted by
// name, generated as it is read. A directory of more than 4,096 entries is sorted in batches of
// that size. Entries examines each entry in turn: files are Documents, directories are Listings and
// have a URL with a final slash, symbolic links have the Kind of their target, and all others,
// including deleted ones, are Unknown. The attribute unix.mode is the mode in octal, and unix.link
// the target of a symbolic link.
//
// Errors keep the class from the system: fs.ErrNotExist, fs.ErrPermission. A device, a socket or a
// FIFO is ErrSpecial and is not opened. A range that begins at or after the end is a
// fetchers.RangeError. An invalid URL is a *url.Error.
package file
