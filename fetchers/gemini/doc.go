// Package gemini fetches gemini URLs: pages and other files of Gemini servers (Gemini protocol
// specification).
//
// Each fetch uses a new TLS connection. The request is the URL. The answer begins with a status of
// two digits and a text whose meaning depends on the status. For gemini://h.dom/docs/a.gmi#part:
//
//	C: gemini://h.dom/docs/a.gmi
//	S: 20 text/gemini; lang=en
//	S: # A page ...
//
// The close_notify of TLS ends the Body. If the connection ends without it, the Body is cut off:
// io.ErrUnexpectedEOF. The media type is in MediaType, and with its parameters in the header field
// Content-Type. The protocol has no ranges, validators and sizes.
//
// Each status has a Kind or an error:
//
//	10          Index; the text is a prompt, in Reply, and Query returns the URL of the input
//	11          the same for a secret: Redacted hides the input in that URL, and so do traces
//	20          Document
//	30 31       Redirect, to gemini or a scheme that is open to all; the text is its Location
//	40 42 43    ErrTemporary
//	41 44       ErrBusy, which is an ErrTemporary here; the text of 44 is the wait in seconds
//	50 59       StatusError without a class
//	51 52       fs.ErrNotExist
//	53          fs.ErrPermission: the server does not serve that host
//	60          fs.ErrPermission: the page requires a client certificate
//	61 62       fs.ErrPermission: the client certificate is not authorized or not valid
//
// Another status has the meaning of its first digit: 1x of 10, 2x of 20, 3x of 30, 4x of 40, 5x of
// 50, 6x of 61. An answer without a status is ErrProtocol, and so is one whose text has more than
// 1024 bytes. A status 6x is not ErrLogin, since a Keychain holds no certificates.
//
// With Request.List a page of type text/gemini is a Listing of its links, in order, each with a
// [Link] in Sys. Any other document is ErrNotListing, unless the request is for a description.
//
// # Server certificates
//
// Most servers have a self-signed certificate. The client trusts it on first use, and a [Store]
// remembers it: another certificate for the same host and port is refused with a [ChangedError],
// until the remembered one has expired. A certificate of a trusted authority is always accepted,
// and replaces the remembered one; a self-signed certificate can then not replace it. A certificate
// outside its validity period is not trusted unless it is the remembered one. The names in a
// certificate are checked only for authorities.
//
// A client certificate, from the Certificates of the TLS settings, is sent only to a server that
// the user named (Request.Named), and not to another origin after a redirection.
package gemini
