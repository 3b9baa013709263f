// Package gemini fetches gemini URLs: pages of Gemini servers, and whatever else they have
// (Gemini protocol specification).
//
// Each fetch is a connection of its own, in TLS. The request is the URL, and the answer begins
// with a status of two digits and a text, which depends on the status. For
// gemini://h.dom/docs/a.gmi#part:
//
//	C: gemini://h.dom/docs/a.gmi
//	S: 20 text/gemini; lang=en
//	S: # A page ...
//
// The close_notify of TLS ends the Body. A connection that ends without it has cut the Body
// short: io.ErrUnexpectedEOF. The media type is in MediaType, and with its parameters in the
// field Content-Type of Header. There are no ranges, validators and sizes.
//
// What a status becomes:
//
//	10          Index; the text is the question, in Reply, and Query makes the URL of the answer
//	11          the same for a secret: Redacted hides the answer in that URL, and so do traces
//	20          Document
//	30 31       Redirect, within gemini, or to what is open to all; the text is its Location
//	40 42 43    ErrTemporary
//	41 44       ErrBusy, which is an ErrTemporary here; the text of 44 is the wait in seconds
//	50 59       StatusError of no class
//	51 52       fs.ErrNotExist
//	53          fs.ErrPermission: the server does not answer for that host
//	60          fs.ErrPermission: the page wants a client certificate
//	61 62       fs.ErrPermission: it wants another one, or the one shown is not valid
//
// Another status counts as that of its first digit: 1x as 10, 2x as 20, 3x as 30, 4x as 40, 5x
// as 50, 6x as 61. An answer that begins with none is ErrProtocol, and so is one whose text has
// more than 1024 octets. A certificate is no login that a Keychain could have, and so a status
// 6x is no ErrLogin.
//
// With Request.List a page of type text/gemini is a Listing: of its links, in their order, each
// with a [Link] in Sys. Any other document is ErrNotListing, unless it is only described.
//
// # Trust
//
// Most servers have a certificate that no authority has signed. It is trusted when it is first
// seen, and a [Store] remembers it: another one for the same host and port is then refused with
// a [ChangedError], until the one that is remembered has expired. A certificate that an
// authority vouches for is always accepted, and remembered in place of another one, so that a
// certificate without an authority can not take its place. One that is outside its dates is not
// trusted unless it is the one that is remembered. The names in a certificate count for
// authorities only.
//
// A client certificate, which is among the Certificates of the TLS settings, is shown only to a
// server that the user named (Request.Named), and not to one of another origin to which that
// redirects.
package gemini
