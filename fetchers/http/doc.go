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
// A request that only describes is a HEAD, or a GET that is not read where a
// server does not know HEAD.
//
//	200 203 204      Document
//	206              Document, if it is the very range that was asked for
//	301 302 303 307 308
//	                 Redirect, with Location resolved; never followed here
//	304              Unchanged
//	401              ErrLogin
//	403              fs.ErrPermission
//	404 410          fs.ErrNotExist
//	408 425 429 500 502 503 504
//	                 ErrTemporary, with the wait of a Retry-After
//	416              ErrRange
//
// The Body is what came over the wire, and ends in io.EOF after as much as
// Content-Length says, after the last chunk, or at the end of the stream. A
// message that ends with its connection, as in HTTP/1.0, is not Confirmed.
package http
