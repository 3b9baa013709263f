// Package http fetches http and https URLs (RFC 1738, section 3.3; RFC 9110).
//
// Each URL is one request. Its target is the path and query as they are written in the URL:
//
//	GET /a%2Fb?q HTTP/1.1
//	Host: h.dom:8000
//	Accept: */*
//	Accept-Encoding: identity
//	Range: bytes=100-             for Request.Range, with If-Range for Request.Have
//	If-None-Match: "etag"         for Request.Have without a range
//
// If Request.Compress is set and the request has no range, the client sends Accept-Encoding: gzip,
// br, zstd, deflate, and the Body decodes the content codings of the response. A body that ends
// within a coding returns io.ErrUnexpectedEOF. An unknown coding, malformed data, or a body that
// grows beyond MaxDecoded is ErrCoding. Without Compress the Body has the bytes as they are on the
// wire.
//
// A user and password are sent when the server demands them, in the strongest scheme that it
// offers. Later requests to this origin send them at once:
//
//	HTTP/1.1 401 Unauthorized
//	WWW-Authenticate: Basic realm="r", Digest realm="r", nonce="n", qop="auth"
//
//	GET /a%2Fb?q HTTP/1.1
//	Authorization: Digest username="u", realm="r", uri="/a%2Fb?q", nonce="n", nc=00000001, …
//
// The schemes are, strongest first, Digest with SHA-256 or SHA-512/256, Digest with MD5 (RFC 7616)
// and Basic (RFC 7617). An Authorization field in Request.Header is sent unchanged, in place of
// them. NTLM, which package ntlm shows, comes between the last two if it is among the Logins. NTLM
// logs in a connection, by HTTP/1.1; this connection is then used for that account only. The same
// holds if the caller's own Authorization field uses NTLM or Negotiate.
//
// If Request.Describe is set, the request is a HEAD. If the server does not support HEAD, it is a
// GET whose body is not read.
//
//	200 203 204      Document; 300 too, which lists alternatives
//	206              Document, if it has the range that was requested;
//	                 ErrChanged, if it is of another version than Request.Have
//	301 302 303 307 308
//	                 Redirect, with Location resolved; never followed here. Three
//	                 slashes before a host count as two. Without exactly one valid
//	                 Location it is ErrProtocol, or with Request.NoFollow a Redirect
//	                 whose Location is nil
//	304              Unchanged
//	401              ErrLogin, if there are no credentials or they were refused
//	402 403 451      fs.ErrPermission; 511 too, from a network that wants a login
//	404 410          fs.ErrNotExist
//	405 501 505      errors.ErrUnsupported
//	408 425 500 502 504
//	                 ErrTemporary, with the wait of a Retry-After
//	421              ErrTemporary; the next request uses another connection
//	429 503          ErrBusy, which is an ErrTemporary here
//	416              ErrRange; a RangeError if its Content-Range has the size,
//	                 and ErrChanged too if the partial file is longer or is of
//	                 another version. For the last bytes of an empty resource it
//	                 is a Document without a Body
//
// If a connection ends, is reset or stalls before the header is complete, the error is
// ErrTemporary; for a stall it is ErrStalled too. A complete header that cannot be parsed is
// ErrProtocol.
//
// If Request.List is set, a page that is an [Index] is a Listing. For any other page, and if there
// is no page (403, 404, 405, 501), the client requests the entries by WebDAV, as [Fetcher.List]
// does. If that fails too, a page is ErrNotListing:
//
//	GET /pub/ HTTP/1.1
//	200, <h1>Index of /pub</h1>      Listing
//	200, any other page, and then
//	PROPFIND /pub/ HTTP/1.1
//	207                              Listing
//	405                              ErrNotListing
//
// If Request.NoFail is set, the body of a refusal is a Document, too.
//
// The Body ends in io.EOF after Content-Length bytes, after the last chunk, or at the end of the
// stream. If a message ends with its connection, as in HTTP/1.0, its end is not Confirmed; over TLS
// without a close_notify alert, it is truncated. A response whose version differs from that of its
// connection is ErrProtocol.
//
// # Odd answers
//
// Some servers send responses that RFC 9112 does not allow. If only one interpretation is possible,
// the client accepts them as curl does, and closes the connection after the response:
//
//	http/1.1 200OK                   HTTP/1.1 200 OK
//	 X-First: a                      a first field that is led by space is one
//	(X): a                           a field without a proper name is left out
//	X : a\rb                         X: a b
//	X: a\r\r\n                       X: a
//	Content-Length: 6, 6             6
//	Transfer-Encoding: identity      nothing
//	HTTP/1.0, and chunked            chunked
//	4\n                              the size of a chunk
//
// If another parser may find another end of the message, the response is ErrProtocol: lengths that
// differ or are no numbers, "chunked, chunked", all other transfer codings, a NUL in the header,
// and a Content-Length or Transfer-Encoding that begins with space or contains a control character.
//
// # Connections
//
// An HTTP/1.1 connection serves one request at a time. All requests to an HTTP/2 server share one
// connection. The first request negotiates the version while others wait, so that a hundred
// requests never open a hundred connections. The versions offered are:
//
//	Protocols   HTTP2OnDemand   Multiplex   offered to an https server
//	nil         false           either      h2, http/1.1
//	nil         true            false       http/1.1
//	nil         true            true        h2, http/1.1
//	HTTP/1.1    either          either      http/1.1
//	HTTP/2      either          either      h2
//
// A request with a Tap uses HTTP/1.1, and so do all requests if HTTP10 or IgnoreLength is set.
// Requests share a connection only if the server, the Namer of the URL, the proxy and its login are
// the same. If the server states that it did not process a request (RFC 9113, section 8.7), the
// request is sent again, up to a hundred times; if the connection has ended, over a new one. If the
// server has reached its limit of streams, or refuses a request while others continue, the request
// waits until another one ends.
//
// If a connection that served earlier requests ends before it answers a request, the request is
// sent again over another connection; over HTTP/2, once. If a request on an HTTP/2 connection
// stalls, the connection takes no further request, unless the server sent a PING or a frame of any
// stream during the stall.
//
// If a server switches to HTTP/1.1 while requests share its connection, or answers a request with
// HTTP_1_1_REQUIRED, these requests continue by HTTP/1.1, at most MaxFallbacks of them at a time.
//
// Resource.Name is the file name of Content-Disposition (RFC 6266), or "".
package http
