// Package sftp fetches sftp and scp URLs (draft-ietf-secsh-scp-sftp-ssh-uri) with SFTP version 3
// (draft-ietf-secsh-filexfer-02, as in OpenSSH) over SSH. A scp URL is fetched with SFTP too, as in
// scp(1).
//
//	sftp://h/etc/motd       /etc/motd; a Document
//	sftp://h/~/notes        notes in the home directory of the user
//	sftp://h/etc/           the entries of /etc; a Listing, and so is sftp://h/etc
//	sftp://h/a%2Fb          malformed: no name can contain a slash
//
// The packets of a Document; packets in one line are sent together:
//
//	C: STAT /etc/motd
//	S: ATTRS                           a directory is listed; a FIFO is not opened
//	C: OPEN /etc/motd
//	S: HANDLE
//	C: FSTAT, READ 0-32767, READ …     up to 64 outstanding READs of 32 KiB
//	S: ATTRS, DATA, DATA …
//	C: FSTAT                           after the last READ, unless one READ returned the file
//	S: ATTRS                           the same size and time: Body ends in io.EOF
//	C: CLOSE                           without waiting for the answer
//
// The Size is that of STAT, and the Validator is the modification time, in whole seconds. A request
// for a range is always honoured. If the file ends before its Size, the Body ends in
// io.ErrUnexpectedEOF; if it is changed meanwhile, in ErrChanged, unless it has only grown. A file
// that is generated during reading, as in /proc, has Size -1, and ends with the STATUS for end of
// file.
//
// A Listing uses OPENDIR and READDIR as it is read, and READLINK and STAT for each symbolic link in
// it, for 32 links at once. Its Body is a line for each entry: facts as in MLSD of FTP, and the
// name, in which control characters, "%" and ";" are escaped. An Entry has the attributes
// unix.mode, unix.owner, unix.group and, for a link, unix.link; its Kind is that of the target of
// the link. A name that is a path is Unparsed.
//
// STATUS 2 is fs.ErrNotExist, 3 is fs.ErrPermission, 8 is errors.ErrUnsupported.
//
// # Authentication
//
// The key of a server has to be in KnownHosts, or to be HostKey. Another key, or a server without a
// known key, is a HostKeyError, which is an ErrUntrusted, before any data of the user is sent. If
// the Host has AcceptChanged, a changed key may be accepted, and the server then gets public keys
// but no password.
//
// The user is that of the Request or its URL, or else of Host, or else User. The client logs in
// with the keys of the agent, with Keys, and with the password of the Request, which also answers
// the first question of keyboard-interactive. A server that requires a password is an ErrLogin; one
// that requires a key is fs.ErrPermission. For a URL that the user did not name, no key is used,
// and for one that a stranger named, no password either.
//
// # Connections
//
// An idle connection is kept for the next fetch from the same server and user. It carries one
// fetch, or with Multiplex up to 64 concurrent ones: in SFTP each answer has the number of its
// request.
package sftp
