// Package http fetches http and https URLs (RFC 1738, section 3.3; RFC 9110).
//
// Each URL is one request, whose target is path and query as they were written:
//
//	GET /a%2Fb?q HTTP/1.1
//	Host: h.dom:8000
//	Accept: */*
//	Accept-Encoding: identity
//	Range: bytes=100-             for Request.Range, with If-Range for Request.Have
//	If-None-Match: "etag"         for Request.Have without a range
//
// For Request.Compress without a range it is Accept-Encoding: gzip, br, zstd,
// deflate, and the codings of the answer are taken off while the Body is read. A
// body that is cut within a coding ends in io.ErrUnexpectedEOF; one that is in an
// unknown coding, does not decode or grows beyond reason is ErrCoding. Whoever
// wants the bytes as they are on the wire does not set Compress.
//
// A user and password are sent when the server asks for them, in the strongest
// scheme that it offers, and from then on at once:
//
//	HTTP/1.1 401 Unauthorized
//	WWW-Authenticate: Basic realm="r", Digest realm="r", nonce="n", qop="auth"
//
//	GET /a%2Fb?q HTTP/1.1
//	Authorization: Digest username="u", realm="r", uri="/a%2Fb?q", nonce="n", nc=00000001, …
//
// That is Digest with SHA-256 or SHA-512/256, then with MD5 (RFC 7616), then Basic (RFC 7617). An
// Authorization in Request.Header goes as it is, and in place of them. NTLM, which package ntlm
// shows, comes between the last two if it is among the Logins. It logs in a connection, which is
// then used for that account only, and by HTTP/1.1. So is one with a caller's own Authorization
// by NTLM or Negotiate.
//
// A request that only describes is a HEAD, or a GET that is not read where a
// server does not know HEAD.
//
//	200 203 204      Document; 300 too, which lists where else to look
//	206              Document, if it is the very range that was asked for;
//	                 ErrChanged, if it is of another version than Request.Have
//	301 302 303 307 308
//	                 Redirect, with Location resolved; never followed here. Three
//	                 slashes before a host are two; without one usable Location it is
//	                 ErrProtocol, or with Request.NoFollow a Redirect to nowhere
//	304              Unchanged
//	401              ErrLogin, if there is nothing to present or it was refused
//	402 403 451      fs.ErrPermission; 511 too, of a network that wants a login
//	404 410          fs.ErrNotExist
//	405 501 505      errors.ErrUnsupported
//	408 425 500 502 504
//	                 ErrTemporary, with the wait of a Retry-After
//	421              ErrTemporary; the next request uses another connection
//	429 503          ErrBusy, which is an ErrTemporary here
//	416              ErrRange; a RangeError if its Content-Range tells the size,
//	                 and ErrChanged too if the copy at hand has more or is of
//	                 another version. The last bytes of an empty resource are a
//	                 Document without a Body
//
// A connection that ends, is reset or falls silent before the header is whole is
// ErrTemporary, and silence is ErrStalled too. A complete header that cannot
// be parsed is ErrProtocol.
//
// With Request.List a page that is an [Index] is a Listing. Otherwise, and if there is no
// page (403, 404, 405, 501), the server is asked for the entries by WebDAV, as [Fetcher.List]
// does. Where that fails too, a page is ErrNotListing:
//
//	GET /pub/ HTTP/1.1
//	200, <h1>Index of /pub</h1>      Listing
//	200, any other page, and then
//	PROPFIND /pub/ HTTP/1.1
//	207                              Listing
//	405                              ErrNotListing
//
// With Request.NoFail what comes with a refusal is a Document, too.
//
// The Body ends in io.EOF after as much as Content-Length says, after the last
// chunk, or at the end of the stream. A message that ends with its connection, as
// in HTTP/1.0, is not Confirmed, and cut short if that was TLS and had no end. An
// answer that says that it is of another version than its connection is
// ErrProtocol.
//
// # Odd answers
//
// Some servers write what RFC 9112 does not have. It is taken as curl takes it if only one
// message can be meant, and the connection is closed behind it:
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
// Where another reader may find another end, it is ErrProtocol: lengths that differ or are no
// numbers, "chunked, chunked" and all other transfer codings, a NUL in the header, and a
// Content-Length or Transfer-Encoding that is led by space or has a control character.
//
// # Connections
//
// HTTP/1.1 has one connection for each request at a time. Of HTTP/2 all requests to a
// server share one, and the first of them negotiates the version alone, while others wait:
// a hundred requests never make a hundred connections. Which version is offered:
//
//	Protocols   HTTP2OnDemand   Multiplex   offered to an https server
//	nil         false           either      h2, http/1.1
//	nil         true            false       http/1.1
//	nil         true            true        h2, http/1.1
//	HTTP/1.1    either          either      http/1.1
//	HTTP/2      either          either      h2
//
// A request with a Tap goes by HTTP/1.1, and so do all with HTTP10 or IgnoreLength. Connections differ by server, by the Namer of the
// URL, and by the proxy and its login. If the server says that it did not process a
// request (RFC 9113, section 8.7), the request is sent again, up to a hundred times, over a
// new connection if this one has ended. A request that the server does not allow yet, or
// refuses while others go on, waits until another one ends.
//
// If a connection that has answered other requests ends before it answers a request, the
// request is sent again over another connection, by HTTP/2 once. A connection of HTTP/2 on
// which a request stalls takes no further request, unless the server has shown a sign of
// life during the stall: PING, or a frame of any request.
//
// If a server turns to HTTP/1.1 while requests share its connection, or answers one with
// HTTP_1_1_REQUIRED, they continue by HTTP/1.1, at most MaxFallbacks of them at a time.
//
// Resource.Name is what Content-Disposition suggests (RFC 6266), "" if it suggests
// nothing.
package http
