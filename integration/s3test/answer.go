package s3test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// modified is the time of an object without one.
var modified = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// answer answers a request.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	bucket, key := place(r)
	name := bucket + "/" + key
	query := r.URL.Query()
	listing := key == "" && query.Get("list-type") == "2"
	if listing {
		name = bucket + "/" + query.Get("prefix")
	}
	w.Header().Set("Date", s.now().Format(http.TimeFormat))
	w.Header().Set("X-Amz-Request-Id", "5F3A")
	w.Header().Set("X-Amz-Bucket-Region", s.region(bucket))
	if f := s.failureFor(name); f != nil {
		s.refuse(w, r, f.status, f.code, "")
		return
	}
	content, err := s.receive(w, r)
	if err != nil {
		s.refuse(w, r, 400, "IncompleteBody", "")
		return
	}
	if status, code, more := s.verify(r, bucket, content); code != "" {
		s.refuse(w, r, status, code, more)
		return
	}
	for _, denied := range s.denied {
		if name == denied {
			s.refuse(w, r, 403, "AccessDenied", "")
			return
		}
	}
	fault := s.faultFor(name)
	if fault != nil && fault.Do == Silence {
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	}
	w = fault.within(w, r)
	switch {
	case r.Method != "GET" && r.Method != "HEAD" && s.written == nil:
		s.refuse(w, r, 405, "MethodNotAllowed", "")
	case !s.hasBucket(bucket):
		s.refuse(w, r, 404, "NoSuchBucket", "")
	case r.Method != "GET" && r.Method != "HEAD":
		s.write(w, r, name, query)
	case listing:
		s.list(w, bucket, query)
	default:
		s.object(w, r, fault, bucket, key, query.Get("versionId"))
	}
}

// place returns the bucket and the key that a request is for.
func place(r *http.Request) (bucket, key string) {
	key = strings.TrimPrefix(r.URL.Path, "/")
	if host, ok := strings.CutSuffix(r.Host, ".amazonaws.com"); ok {
		if i := strings.LastIndex(host, ".s3."); i > 0 {
			return host[:i], key
		}
	}
	bucket, key, _ = strings.Cut(key, "/")
	return bucket, key
}

func (s *Server) now() time.Time { return time.Now().Add(s.clock).UTC() }

// region returns the region of a bucket.
func (s *Server) region(bucket string) string {
	for _, name := range []string{bucket, ""} {
		if region := s.regions[name]; region != "" {
			return region
		}
	}
	return "us-east-1"
}

func (s *Server) hasBucket(bucket string) bool {
	for _, o := range s.objects {
		if o.bucket == bucket {
			return true
		}
	}
	info, err := fs.Stat(s.fsys, bucket)
	return err == nil && info.IsDir() && bucket != "."
}

// object answers with the content of an object.
func (s *Server) object(w http.ResponseWriter, r *http.Request, fault *fault, bucket, key, version string) {
	o, found := s.find(bucket, key, version)
	switch {
	case !found && version != "":
		s.refuse(w, r, 404, "NoSuchVersion", "")
		return
	case !found:
		s.refuse(w, r, 404, "NoSuchKey", "<Key>"+escaped(key)+"</Key>")
		return
	}
	defer o.close()
	etag, at := o.tag, o.at
	if fault != nil && fault.Do == Change {
		etag, at = `"0123456789abcdef0123456789abcdef"`, at.Add(time.Hour)
	}
	w.Header().Set("ETag", etag)
	w.Header().Set("Content-Type", typeOf(key))
	if version != "" {
		w.Header().Set("X-Amz-Version-Id", version)
	}
	http.ServeContent(&ranged{ResponseWriter: w, server: s, request: r, size: o.size}, r, "", at, o.body)
}

// A stored object is one to be sent. The caller of the function that finds it closes it.
type stored struct {
	body  io.ReadSeeker
	size  int64
	tag   string
	at    time.Time // of its modification
	close func()
}

func inMemory(content string, at time.Time) stored {
	return stored{strings.NewReader(content), int64(len(content)), tagOf(content), at, func() {}}
}

// multipart is the size from which files have the ETag of an upload in parts, which is no MD5: a large file is
// not read to list it.
const multipart = 8 << 20

// find returns an object.
func (s *Server) find(bucket, key, version string) (_ stored, found bool) {
	for _, o := range s.objects {
		if o.bucket == bucket && o.key == key && o.version == version {
			return inMemory(o.content, modified), true
		}
	}
	name := bucket + "/" + key
	if o, found := s.written.find(name); found && version == "" {
		return o, true
	}
	if version != "" || !fs.ValidPath(name) || key == "" {
		return stored{}, false
	}
	file, err := s.fsys.Open(name)
	if err != nil {
		return stored{}, false
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		file.Close()
		return stored{}, false
	}
	if body, ok := file.(io.ReadSeeker); ok && info.Size() >= multipart {
		tag := strings.TrimSuffix(tagOf(fmt.Sprint(info.Size(), timeOf(info))), `"`) + `-2"`
		return stored{body, info.Size(), tag, timeOf(info), func() { file.Close() }}, true
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	return inMemory(string(data), timeOf(info)), err == nil
}

func timeOf(info fs.FileInfo) time.Time {
	if info.ModTime().IsZero() {
		return modified
	}
	return info.ModTime().UTC()
}

func tagOf(content string) string {
	sum := md5.Sum([]byte(content))
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

// typeOf returns the media type of an object.
func typeOf(key string) string {
	switch path.Ext(key) {
	case ".txt":
		return "text/plain"
	case ".html":
		return "text/html"
	}
	return "binary/octet-stream"
}

// A ranged is the answer with an object. S3 refuses a range by XML.
type ranged struct {
	http.ResponseWriter
	server  *Server
	request *http.Request
	size    int64
	refused bool
}

func (w *ranged) WriteHeader(status int) {
	if status != http.StatusRequestedRangeNotSatisfiable {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	w.refused = true
	w.Header().Del("Content-Range") // AWS tells the size in the XML only
	w.server.refuse(w.ResponseWriter, w.request, status, "InvalidRange", "<ActualObjectSize>"+strconv.FormatInt(w.size, 10)+"</ActualObjectSize>")
}

func (w *ranged) Write(p []byte) (int, error) {
	if w.refused {
		return len(p), nil
	}
	return w.ResponseWriter.Write(p)
}

// refuse answers with an error of S3, whose XML is more.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, code, more string) {
	text := xml.Header + "<Error><Code>" + code + "</Code><Message>Refused by s3test</Message>" + more +
		"<RequestId>5F3A</RequestId></Error>"
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Header().Del("ETag")
	w.Header().Del("Last-Modified")
	w.WriteHeader(status)
	if r.Method != "HEAD" {
		io.WriteString(w, text)
	}
}

func escaped(s string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(s))
	return b.String()
}
