package record

// The exit statuses of the command, which are those of curl where curl has one. Their
// meanings are in ExitCodes.
const (
	ExitOK             = 0
	ExitUnknownScheme  = 1
	ExitUsage          = 2
	ExitMalformedURL   = 3
	ExitNotRetrievable = 4
	ExitResolveProxy   = 5
	ExitResolve        = 6
	ExitConnect        = 7
	ExitProtocol       = 8
	ExitDenied         = 9
	ExitTruncated      = 18
	ExitHTTP           = 22
	ExitWrite          = 23
	ExitInput          = 26
	ExitTimeout        = 28
	ExitRange          = 33
	ExitTLS            = 35
	ExitFile           = 37
	ExitRedirect       = 47
	ExitReceive        = 56
	ExitUntrusted      = 60
	ExitCoding         = 61
	ExitTooLarge       = 63
	ExitLogin          = 67
	ExitNotFound       = 78
	ExitPinned         = 90
	ExitChecksum       = 120
	ExitBlocked        = 121
	ExitMaxDelete      = 122
	ExitCrash          = 123
	ExitInterrupted    = 130
)

// An ExitCode is an exit status of the command and its meaning, in the words of the manual.
type ExitCode struct {
	Code  int
	Means string
}

// ExitCodes returns every exit status that there is, in ascending order.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{ExitOK, "every URL was fetched, whole, or the copy at hand is good"},
		{ExitUnknownScheme, "scheme not known, or not allowed by --proto"},
		{ExitUsage, "command line that makes no sense"},
		{ExitMalformedURL, "malformed URL; nothing was sent"},
		{ExitNotRetrievable, "the scheme names something that is not retrieved; the message has the next step"},
		{ExitResolveProxy, "proxy not resolved"},
		{ExitResolve, "host not resolved"},
		{ExitConnect, "connection refused, or host unreachable"},
		{ExitProtocol, "reply of the server that makes no sense, or for ls a page that is no index"},
		{ExitDenied, "access denied"},
		{ExitTruncated, "cut short: less arrived than was announced, or the end was not confirmed"},
		{ExitHTTP, "HTTP status of 400 or more"},
		{ExitWrite, "writing failed: disk full, no permission, or a binary for a terminal"},
		{ExitInput, "local input could not be read"},
		{ExitTimeout, "timed out or stalled"},
		{ExitRange, "range that cannot be had, or resource that changed since the partial copy"},
		{ExitTLS, "TLS failed"},
		{ExitFile, "file of a file URL could not be read"},
		{ExitRedirect, "too many redirections, or one that is not allowed"},
		{ExitReceive, "receiving failed"},
		{ExitUntrusted, "certificate not trusted"},
		{ExitCoding, "unknown content coding, or a limit of decompression"},
		{ExitTooLarge, "larger than --max-filesize"},
		{ExitLogin, "login refused, by the server or an HTTP proxy"},
		{ExitNotFound, "not found, in every protocol but HTTP"},
		{ExitPinned, "the server has another public key than --pinnedpubkey allows"},
		{ExitChecksum, "other checksum, or size, than expected"},
		{ExitBlocked, "address or port that is not allowed"},
		{ExitMaxDelete, "fetch mirror --max-delete was reached: nothing was deleted"},
		{ExitCrash, "programs of a cluster ended while they fetched it, several times"},
		{ExitInterrupted, "interrupted"},
	}
}
