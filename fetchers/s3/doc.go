// Package s3 fetches s3 URLs: objects of Amazon S3 and compatible servers, and listings of their
// buckets (Amazon S3 API Reference, version 2006-03-01).
//
// The host of the URL is the bucket. A key that is empty or ends in a slash is the prefix of a
// listing, up to the next slash. Any other key is an object:
//
//	s3://bucket/logs/              GET /?delimiter=%2F&encoding-type=url&list-type=2&prefix=logs%2F
//	s3://bucket/logs/a.txt         GET /logs/a.txt
//	s3://bucket/a?versionId=3      GET /a?versionId=3
//	Host: bucket.s3.eu-west-1.amazonaws.com
//
// If a bucket has a dot in its name, or the Account has an Endpoint, the bucket is the first
// element of the path instead:
//
//	s3://my.bucket/a               GET /my.bucket/a
//	Host: s3.us-east-1.amazonaws.com
//
// The requests use an HTTP Fetcher, with its connections, proxies, TLS settings and limits. An
// object has the features of a document of HTTP: ranges, validators (ETag, and modification time),
// HEAD for Request.Describe, and a Body that ends with its length. A range of another version is
// ErrChanged, also from a server that ignores If-Range.
//
// # Signatures
//
// A request is signed (AWS Signature Version 4) if the [Account] has Credentials, or if the Request
// has a Login, which is an access key and its secret:
//
//	Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/s3/aws4_request, SignedHeaders=…, Signature=…
//	X-Amz-Content-Sha256: e3b0c442…
//	X-Amz-Date: 20150830T123600Z
//	X-Amz-Security-Token: …        if there is one
//
// Only a URL that the user has named is signed (Request.Named), including the fields X-Amz-* of
// Request.Header. Redirections are never followed, so that a signature is sent only to the
// Endpoint, or else to a host of amazonaws.com.
//
// This package implements the signature itself. It takes a page of code, and the signers of
// aws-sdk-go-v2 and minio-go would add a dozen modules. It is tested with the published examples of
// AWS.
//
// If the server names another region (PermanentRedirect, AuthorizationHeaderMalformed, or the field
// X-Amz-Bucket-Region), or the clock is wrong (RequestTimeTooSkewed), the request is repeated, once
// for each reason. The region of the bucket and the difference of the clocks are remembered.
//
// # Errors
//
// The class of an error depends on the code in its XML. Without a code, it depends on the status,
// as for http URLs. The text is the code and the message:
//
//	NoSuchKey NoSuchBucket NoSuchVersion           fs.ErrNotExist
//	AccessDenied InvalidObjectState                fs.ErrPermission
//	InvalidAccessKeyId SignatureDoesNotMatch       ErrLogin
//	ExpiredToken InvalidToken                      ErrLogin
//	RequestTimeTooSkewed                           ErrLogin, after the second request
//	AuthorizationHeaderMalformed                   ErrLogin, after the second request
//	PermanentRedirect TemporaryRedirect            ErrRedirect, after the second request
//	SlowDown ServiceUnavailable                    ErrBusy, which is an ErrTemporary here
//	InternalError RequestTimeout OperationAborted  ErrTemporary
//	InvalidRange                                   RangeError, with the ActualObjectSize
//
// The answer to a HEAD has no XML. If its status is 400 or 403, a GET for the first byte returns
// the code.
//
// # Listings
//
// The Body is the XML of all pages, concatenated. The next page is requested after the last one has
// been read. A page has at most 8 MiB. Common prefixes are Listings. Objects are Documents with
// their size and time, and the attributes s3.etag and s3.storage-class. A key that is not exactly
// one level below the URL, such as "a//b" or one with "..", is Unparsed. The empty object that some
// tools create for a directory is not an entry.
//
// A listing of a bucket may be empty. A prefix without keys is fs.ErrNotExist, unless the listing
// of its parent has the prefix: servers on a file system list an empty directory. With
// Request.List, a key that is not an object but a prefix of keys is a Redirect to their listing.
package s3
