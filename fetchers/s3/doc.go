// Package s3 fetches s3 URLs: objects of Amazon S3 and of servers like it, and listings of their
// buckets (Amazon S3 API Reference, version 2006-03-01).
//
// The host of the URL is the bucket. A key that is empty or ends in a slash is a listing of the
// keys that begin so, up to the next slash. Any other key is an object:
//
//	s3://bucket/logs/              GET /?delimiter=%2F&encoding-type=url&list-type=2&prefix=logs%2F
//	s3://bucket/logs/a.txt         GET /logs/a.txt
//	s3://bucket/a?versionId=3      GET /a?versionId=3
//	Host: bucket.s3.eu-west-1.amazonaws.com
//
// A bucket with a dot in its name, and each bucket of an Account with an Endpoint, is the first element of
// the path instead:
//
//	s3://my.bucket/a               GET /my.bucket/a
//	Host: s3.us-east-1.amazonaws.com
//
// The requests are those of an HTTP Fetcher, so that its connections, proxies, TLS settings and
// limits hold, and an object has all that it has there: ranges, validators (ETag, and the time
// of modification), HEAD for Request.Describe, and a Body that ends with its length. A range of
// another version is ErrChanged, also from a server that passes over If-Range.
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
// Only a URL that the user has named is signed (Request.Named). Fields X-Amz-* of Request.Header
// are signed with it. Redirections are never followed, so a signature goes to the Endpoint, or
// else to a host of amazonaws.com, and to no other.
//
// The signature is written here. It takes a page, and the signers of aws-sdk-go-v2 and minio-go
// would bring a dozen modules with them. It is tested with the published examples of AWS.
//
// If the server names another region (PermanentRedirect, AuthorizationHeaderMalformed, or the
// field X-Amz-Bucket-Region), or the clock is off (RequestTimeTooSkewed), the request is sent
// again, once for each, and the bucket's region and the time are remembered.
//
// # Refusals
//
// The class of a refusal is that of its code, which is in the XML. Without one, it is that of the
// status, as for http URLs. The text is the code and the message:
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
// The answer to a HEAD has no XML. If its status is 400 or 403, a GET for the first octet asks why.
//
// # Listings
//
// The Body is the XML of all pages, one behind the other. A page is asked for when the one before
// it has been read, and has at most 8 MiB. Common prefixes are Listings. Objects are Documents
// with their size and time, and the attributes s3.etag and s3.storage-class. A key that is not one
// level below the URL, such as "a//b" or one with "..", is Unparsed. The empty object that some
// tools make for a directory is no entry.
//
// A listing of a bucket may be empty. A prefix with which no key begins is fs.ErrNotExist, unless
// the listing above it has the prefix: servers of file systems list an empty directory. With
// Request.List, a key that is no object and has others below it is a Redirect to their listing.
package s3
