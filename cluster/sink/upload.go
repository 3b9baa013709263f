package sink

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// partSize is the size above which a body is sent in parts, and that of its parts. That of more than
// maxParts has larger ones.
const (
	partSize = 16 << 20
	maxParts = 10_000
)

// conflicts is how often an upload is tried that another one of the same key prevents.
const conflicts = 3

// ErrETag is the error for an object whose ETag is not that of its content.
var ErrETag = errors.New("the ETag is not that of the content")

// An upload keeps one body as an object.
type upload struct {
	s3     *S3
	key    string // with the prefix
	size   int64
	body   io.ReaderAt
	ranges []summed // one, or those of the parts
	etag   string   // which the object is to have: MD5 in hexadecimal, or "MD5 of MD5s-N" of N parts
}

// A summed is a range of a body with its sums.
type summed struct {
	*io.SectionReader
	sha256 string // in hexadecimal
	md5    string // in base64
}

// run writes the object, or verifies the one that is there.
func (u *upload) run(ctx context.Context) error {
	if err := u.measure(); err != nil {
		return err
	}
	if len(u.ranges) > 1 { // it is worth a request to know that it is there
		if err := u.verify(ctx); status(err) != http.StatusNotFound {
			return err
		}
	}
	for try := 1; ; try++ {
		got, err := u.write(ctx)
		switch {
		case status(err) == http.StatusPreconditionFailed: // it is there
			return u.verify(ctx)
		case status(err) == http.StatusConflict && try < conflicts:
			continue
		case err != nil:
			return readable(err)
		case strings.EqualFold(got, u.etag):
			return nil
		}
		if err := u.verify(ctx); err != nil {
			return errors.Join(err, u.remove(ctx))
		}
		return nil
	}
}

// measure finds the sums of the ranges, and the ETag.
func (u *upload) measure() error {
	size := max(u.s3.partSize, (u.size+maxParts-1)/maxParts)
	var tag []byte
	tags := md5.New()
	for at := int64(0); at < u.size || at == 0; at += size {
		r := summed{SectionReader: io.NewSectionReader(u.body, at, min(size, u.size-at))}
		sha, md := sha256.New(), md5.New()
		if _, err := io.Copy(io.MultiWriter(sha, md), r); err != nil {
			return err
		}
		tag = md.Sum(nil)
		tags.Write(tag)
		r.sha256, r.md5 = hex.EncodeToString(sha.Sum(nil)), base64.StdEncoding.EncodeToString(tag)
		r.Seek(0, io.SeekStart)
		u.ranges = append(u.ranges, r)
	}
	u.etag = hex.EncodeToString(tag)
	if n := len(u.ranges); n > 1 {
		u.etag = hex.EncodeToString(tags.Sum(nil)) + "-" + strconv.Itoa(n)
	}
	return nil
}

// write writes the object if it is not there, and returns its ETag.
func (u *upload) write(ctx context.Context) (etag string, err error) {
	if len(u.ranges) > 1 {
		return u.parts(ctx)
	}
	r := u.ranges[0]
	info, err := u.s3.core.PutObject(ctx, u.s3.config.Bucket, u.key, r.SectionReader, u.size, r.md5, r.sha256, ifNew())
	return info.ETag, err
}

// parts writes the object in parts. Without the last request there is no object, and the parts are
// thrown away.
func (u *upload) parts(ctx context.Context) (etag string, err error) {
	bucket, core := u.s3.config.Bucket, u.s3.core
	id, err := core.NewMultipartUpload(ctx, bucket, u.key, minio.PutObjectOptions{})
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			ctx, cancel := ending(ctx)
			defer cancel()
			core.AbortMultipartUpload(ctx, bucket, u.key, id)
		}
	}()
	var parts []minio.CompletePart
	for i, r := range u.ranges {
		part, err := core.PutObjectPart(ctx, bucket, u.key, id, i+1, r.SectionReader, r.Size(), minio.PutObjectPartOptions{Md5Base64: r.md5, Sha256Hex: r.sha256, DisableContentSha256: true})
		if err != nil {
			return "", err
		}
		parts = append(parts, minio.CompletePart{PartNumber: part.PartNumber, ETag: part.ETag})
	}
	info, err := core.CompleteMultipartUpload(ctx, bucket, u.key, id, parts, ifNew())
	if status(err) == http.StatusNotFound && u.verify(ctx) == nil { // the answer to the first one was lost
		return u.etag, nil
	}
	return info.ETag, err
}

// verify compares the object that is there with the body.
func (u *upload) verify(ctx context.Context) error {
	o, err := u.s3.core.StatObject(ctx, u.s3.config.Bucket, u.key, minio.StatObjectOptions{})
	if err != nil {
		return readable(err)
	}
	if o.Size != u.size {
		return fmt.Errorf("the object has %d bytes and should have %d", o.Size, u.size)
	}
	if claims(o.ETag, u.etag) && !encrypted(o.Metadata) && !strings.EqualFold(o.ETag, u.etag) {
		return fmt.Errorf("%w: it is %.80q and should be %q", ErrETag, o.ETag, u.etag)
	}
	return nil
}

// remove removes the object, which this upload has made.
func (u *upload) remove(ctx context.Context) error {
	ctx, cancel := ending(ctx)
	defer cancel()
	return readable(u.s3.core.RemoveObject(ctx, u.s3.config.Bucket, u.key, minio.RemoveObjectOptions{}))
}

// claims reports whether an ETag says something about a content whose ETag would be another one: an
// MD5 does, and one of as many parts. Others are of servers that make them otherwise.
func claims(etag, want string) bool {
	sum, parts, _ := strings.Cut(etag, "-")
	_, wanted, _ := strings.Cut(want, "-")
	_, err := hex.DecodeString(sum)
	return err == nil && len(sum) == 2*md5.Size && (parts == "" || parts == wanted)
}

// encrypted reports whether an object has an ETag that is no MD5, since the server encrypts it with
// a key of a service or of the client.
func encrypted(h http.Header) bool {
	return strings.HasPrefix(h.Get("X-Amz-Server-Side-Encryption"), "aws:kms") ||
		h.Get("X-Amz-Server-Side-Encryption-Customer-Algorithm") != ""
}

// ifNew has a server write only what is not there. The sum of the content is part of the signature,
// without TLS too: minio would sign each 64 KiB, which fewer servers know.
func ifNew() (o minio.PutObjectOptions) {
	o.DisableContentSha256 = true
	o.SetMatchETagExcept("*")
	return o
}

// ending returns a context for what has to be done in the end, even if ctx has ended.
func ending(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
}

// status returns the status of an answer that is an error, or 0.
func status(err error) int {
	if refused, ok := errors.AsType[minio.ErrorResponse](err); ok {
		return refused.StatusCode
	}
	return 0
}

// A refusal is the answer of a server that refuses, with its code, which minio does not say.
type refusal struct{ minio.ErrorResponse }

func (r refusal) Error() string {
	return fmt.Sprintf("%d %.50s: %.200s", r.StatusCode, r.Code, r.Message)
}

func (r refusal) Unwrap() error { return r.ErrorResponse }

func readable(err error) error {
	if refused, ok := errors.AsType[minio.ErrorResponse](err); ok {
		return refusal{refused}
	}
	return err
}
