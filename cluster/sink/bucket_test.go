package sink

import (
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// A bucket is an S3 server with the bucket "pub", to which objects are written. It refuses content
// that has another sum than was sent.
type bucket struct {
	*httptest.Server

	mu       sync.Mutex
	objects  map[string]stored
	uploads  map[string]map[string]stored // parts by number, of what is not whole yet
	requests []string
	faults   []fault
}

type stored struct {
	text, etag string
	header     http.Header
}

// A fault is what happens once to a request that begins with a text, such as "PUT /pub/".
type fault struct {
	request string
	do      func(b *bucket, w http.ResponseWriter, r *http.Request)
}

func newBucket(t *testing.T, faults ...fault) *bucket {
	b := &bucket{objects: make(map[string]stored), uploads: make(map[string]map[string]stored), faults: faults}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

// testPartSize is the size of parts of the server, which takes them as small as they come.
const testPartSize = 100_000

// newS3 returns a Sink that keeps bodies in the bucket, below "p/".
func newS3(t *testing.T, b *bucket) *S3 {
	t.Helper()
	s, err := NewS3(S3Config{Endpoint: b.URL, Bucket: "pub", Prefix: "p/", Region: "eu-west-1", Spool: t.TempDir(),
		Keys: func() (Keys, error) { return Keys{Access: "AKID", Secret: "s3cret", Token: "t0ken"}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.partSize = testPartSize
	t.Cleanup(func() { s.Close() })
	return s
}

func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	request := r.Method + " " + r.URL.Path
	if r.URL.RawQuery != "" {
		request += "?" + strings.NewReplacer("uploadId=1&", "", "&uploadId=1", "").Replace(r.URL.RawQuery)
	}
	b.requests = append(b.requests, request)
	i := slices.IndexFunc(b.faults, func(f fault) bool { return strings.HasPrefix(request, f.request) })
	if i >= 0 {
		f := b.faults[i]
		b.faults = slices.Delete(b.faults, i, i+1)
		b.mu.Unlock()
		f.do(b, w, r)
		return
	}
	b.mu.Unlock()
	b.answer(w, r)
}

// answer does what a request asks for.
func (b *bucket) answer(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	sha, md := sha256.Sum256(data), md5.Sum(data)
	o := stored{text: string(data), etag: hex.EncodeToString(md[:])}
	query, path := r.URL.Query(), r.URL.Path
	_, there := b.objects[path]
	switch {
	case !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=AKID/") || r.Header.Get("X-Amz-Security-Token") != "t0ken":
		refuse(w, 403, "AccessDenied")
	case len(data) > 0 && r.Header.Get("X-Amz-Content-Sha256") != hex.EncodeToString(sha[:]):
		refuse(w, 400, "XAmzContentSHA256Mismatch")
	case r.Method == "PUT" && r.Header.Get("Content-Md5") != base64.StdEncoding.EncodeToString(md[:]):
		refuse(w, 400, "BadDigest")
	case r.Method == "POST" && query.Has("uploads"):
		b.uploads["1"] = make(map[string]stored)
		fmt.Fprint(w, "<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>")
	case query.Has("uploadId") && b.uploads[query.Get("uploadId")] == nil:
		refuse(w, 404, "NoSuchUpload")
	case r.Method == "PUT" && query.Has("partNumber"):
		b.uploads[query.Get("uploadId")][query.Get("partNumber")] = o
		w.Header().Set("ETag", `"`+o.etag+`"`)
	case r.Method == "DELETE" && query.Has("uploadId"):
		delete(b.uploads, query.Get("uploadId"))
		w.WriteHeader(http.StatusNoContent)
	case (r.Method == "PUT" || r.Method == "POST") && there && r.Header.Get("If-None-Match") == "*":
		refuse(w, 412, "PreconditionFailed")
	case r.Method == "POST":
		b.complete(w, path, data, query.Get("uploadId"))
	case r.Method == "PUT":
		b.objects[path] = o
		w.Header().Set("ETag", `"`+o.etag+`"`)
	case r.Method == "DELETE":
		delete(b.objects, path)
		w.WriteHeader(http.StatusNoContent)
	case !there:
		refuse(w, 404, "NoSuchKey")
	default:
		o := b.objects[path]
		for name, values := range o.header {
			w.Header()[name] = values
		}
		w.Header().Set("ETag", `"`+o.etag+`"`)
		w.Header().Set("Last-Modified", "Sat, 03 Feb 2001 04:05:06 GMT")
		w.Header().Set("Content-Length", fmt.Sprint(len(o.text)))
	}
}

// complete makes an object of the parts that a request lists.
func (b *bucket) complete(w http.ResponseWriter, path string, data []byte, upload string) {
	var list struct {
		Part []struct{ PartNumber, ETag string }
	}
	if err := xml.Unmarshal(data, &list); err != nil {
		refuse(w, 400, "MalformedXML")
		return
	}
	var o stored
	tags := md5.New()
	for _, p := range list.Part {
		part, ok := b.uploads[upload][p.PartNumber]
		if !ok || part.etag != strings.Trim(p.ETag, `"`) {
			refuse(w, 400, "InvalidPart")
			return
		}
		sum, _ := hex.DecodeString(part.etag)
		tags.Write(sum)
		o.text += part.text
	}
	o.etag = fmt.Sprintf("%x-%d", tags.Sum(nil), len(list.Part))
	b.objects[path] = o
	delete(b.uploads, upload)
	fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>pub</Bucket><Key>k</Key><ETag>&quot;%s&quot;</ETag></CompleteMultipartUploadResult>", o.etag)
}

func refuse(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>refused by the test</Message></Error>", code)
}

// answered returns a fault that refuses the request.
func answered(status int, code string) func(*bucket, http.ResponseWriter, *http.Request) {
	return func(_ *bucket, w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		refuse(w, status, code)
	}
}

// cut closes the connection in the middle of the body.
func cut(_ *bucket, _ http.ResponseWriter, r *http.Request) {
	io.CopyN(io.Discard, r.Body, r.ContentLength/2)
	panic(http.ErrAbortHandler)
}

// cutAfter does what the request asks for, and closes the connection in place of an answer.
func cutAfter(b *bucket, _ http.ResponseWriter, r *http.Request) {
	b.answer(httptest.NewRecorder(), r)
	panic(http.ErrAbortHandler)
}

// lie keeps the object, but with another content.
func lie(b *bucket, w http.ResponseWriter, r *http.Request) {
	b.answer(httptest.NewRecorder(), r)
	b.mu.Lock()
	defer b.mu.Unlock()
	o := b.objects[r.URL.Path]
	sum, parts, found := strings.Cut(o.etag, "-")
	o.etag = strings.Repeat("0", len(sum))
	if found {
		o.etag += "-" + parts
	}
	b.objects[r.URL.Path] = o
	w.Header().Set("ETag", `"`+o.etag+`"`)
	if r.Method == "POST" {
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><Bucket>pub</Bucket><ETag>%s</ETag></CompleteMultipartUploadResult>", o.etag)
	}
}
