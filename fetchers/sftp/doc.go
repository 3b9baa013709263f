// Package sftp fetches sftp and scp URLs (draft-ietf-secsh-scp-sftp-ssh-uri) by SFTP version 3
// (draft-ietf-secsh-filexfer-02), as OpenSSH speaks it, over SSH. A scp URL is fetched by SFTP
// too, as scp(1) does.
//
//	sftp://h/etc/motd       /etc/motd; a Document
//	sftp://h/~/notes        notes in the home directory of the user
//	sftp://h/etc/           the entries of /etc; a Listing, and so is sftp://h/etc
//	sftp://h/a%2Fb          malformed; an escaped slash is in no name
//
// The packets of a Document, where those in one line go out together:
//
//	C: STAT /etc/motd
//	S: ATTRS                           a directory is listed; a FIFO is not opened
//	C: OPEN /etc/motd
//	S: HANDLE
//	C: FSTAT, READ 0-32767, READ …     64 READs of 32 KiB are under way
//	S: ATTRS, DATA, DATA …
//	C: FSTAT                           after the last READ, unless a single one brings the file
//	S: ATTRS                           the same size and time: Body ends in io.EOF
//	C: CLOSE                           its answer is not waited for
//
// The Size is that of STAT, and the time of modification, in whole seconds, the Validator. A range
// is always honoured. If the file ends before its Size, the Body ends in io.ErrUnexpectedEOF; if
// it is written to meanwhile, in ErrChanged, unless it has only grown. A file that is made up
// while it is read, as in /proc, has Size -1, and its end is the STATUS that says so.
//
// A Listing comes by OPENDIR and READDIR, as it is read, and READLINK and STAT for each symbolic
// link in it, for 32 links at once. Its Body is a line for each entry: facts as those of MLSD in
// FTP, and the name, in which control characters, "%" and ";" are escaped. An Entry has the
// attributes unix.mode, unix.owner, unix.group and, for a link, unix.link; it is what the link
// leads to. A name that is a path is Unparsed.
//
// STATUS 2 is fs.ErrNotExist, 3 is fs.ErrPermission, 8 is errors.ErrUnsupported.
//
// # Trust
//
// The key of a server has to be in KnownHosts, or to be HostKey. Another key, and that of a server
// which is not known, is a HostKeyError, which is an ErrUntrusted, before anything of the user is
// told. Where the Host has AcceptChanged, another key than the one in KnownHosts is no error, and
// the server gets keys but no password.
//
// The user is that of the Request or its URL, else that of Host, else User. Servers are convinced
// by the keys of the agent, by Keys, and by the password of the Request, which answers the first
// question of keyboard-interactive too. A server that wants a password is an ErrLogin; one that
// wants keys only is fs.ErrPermission. A URL that the user did not name gets no key, and one that
// a stranger named gets no password either.
//
// # Connections
//
// A connection that has done its work is kept for the next fetch of the same server and user. It
// carries one fetch, or with Multiplex up to 64 at once: in SFTP each answer names its request.
package sftp
