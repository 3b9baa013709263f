package s3test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Writable makes the server accept objects, whole or in parts, and delete them. The objects are in memory, and
// the file system stays unchanged. The server verifies the checksums of a request, and supports
// If-None-Match: *.
func Writable() Option { return func(s *Server) { s.written = newWritten() } }

// LyingTags makes a Writable server return an ETag of zeros for each object that a client writes.
func LyingTags() Option { return func(s *Server) { s.lying = true } }

// maxWritten is how many octets a request may have.
const maxWritten = 64 << 20

// written has the objects and the parts that clients wrote.
type written struct {
	mu      sync.Mutex
	objects map[string]stored         // by bucket and key
	content map[string]string         // of the objects
	uploads map[string]map[int][]byte // parts by number, by the number of the upload
	last    int                       // number of an upload
}

func newWritten() *written {
	return &written{objects: make(map[string]stored), content: make(map[string]string), uploads: make(map[string]map[int][]byte)}
}

// Written returns the objects that clients wrote, by "bucket/key".
func (s *Server) Written() map[string]string {
	all := make(map[string]string)
	if s.written == nil {
		return all
	}
	s.written.mu.Lock()
	defer s.written.mu.Unlock()
	for name, content := range s.written.content {
		all[name] = content
	}
	return all
}

// find returns an object that was written.
func (v *written) find(name string) (stored, bool) {
	if v == nil {
		return stored{}, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	o, found := v.objects[name]
	o.body = strings.NewReader(v.content[name])
	return o, found
}

// receive reads the content of a request for a Writable server, and returns its sum.
func (s *Server) receive(w http.ResponseWriter, r *http.Request) (sum string, err error) {
	if s.written == nil {
		return emptyContent, nil
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWritten))
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(data))
	octets := sha256.Sum256(data)
	return hex.EncodeToString(octets[:]), nil
}

// write answers a request that writes or deletes an object or a part.
func (s *Server) write(w http.ResponseWriter, r *http.Request, name string, query neturl.Values) {
	data, _ := io.ReadAll(r.Body)
	sum := md5.Sum(data)
	v, id := s.written, query.Get("uploadId")
	v.mu.Lock()
	defer v.mu.Unlock()
	parts, begun := v.uploads[id]
	_, there := v.objects[name]
	want := r.Header.Get("Content-Md5")
	switch {
	case want != "" && want != base64.StdEncoding.EncodeToString(sum[:]):
		s.refuse(w, r, 400, "BadDigest", "")
	case r.Method == "POST" && query.Has("uploads"):
		v.last++
		v.uploads[strconv.Itoa(v.last)] = make(map[int][]byte)
		fmt.Fprintf(w, "<InitiateMultipartUploadResult><UploadId>%d</UploadId></InitiateMultipartUploadResult>", v.last)
	case id != "" && !begun:
		s.refuse(w, r, 404, "NoSuchUpload", "")
	case r.Method == "PUT" && id != "":
		number, err := strconv.Atoi(query.Get("partNumber"))
		if err != nil || number < 1 || number > 10_000 {
			s.refuse(w, r, 400, "InvalidArgument", "")
			return
		}
		parts[number] = data
		w.Header().Set("ETag", tagOf(string(data)))
	case r.Method == "DELETE" && id != "":
		delete(v.uploads, id)
		w.WriteHeader(http.StatusNoContent)
	case r.Method == "DELETE":
		delete(v.objects, name)
		delete(v.content, name)
		w.WriteHeader(http.StatusNoContent)
	case there && r.Header.Get("If-None-Match") == "*":
		s.refuse(w, r, 412, "PreconditionFailed", "")
	case r.Method == "PUT":
		w.Header().Set("ETag", s.keep(name, string(data), tagOf(string(data))))
	case r.Method == "POST" && id != "":
		content, tag, ok := joined(data, parts)
		if !ok {
			s.refuse(w, r, 400, "InvalidPart", "")
			return
		}
		delete(v.uploads, id)
		fmt.Fprintf(w, "<CompleteMultipartUploadResult><ETag>%s</ETag></CompleteMultipartUploadResult>", escaped(s.keep(name, content, tag)))
	default:
		s.refuse(w, r, 405, "MethodNotAllowed", "")
	}
}

// keep keeps an object, and returns its ETag. The mutex is held.
func (s *Server) keep(name, content, tag string) string {
	if s.lying {
		_, parts, _ := strings.Cut(strings.Trim(tag, `"`), "-")
		if tag = `"` + strings.Repeat("0", 32); parts != "" {
			tag += "-" + parts
		}
		tag += `"`
	}
	s.written.objects[name] = stored{size: int64(len(content)), tag: tag, at: s.now(), close: func() {}}
	s.written.content[name] = content
	return tag
}

// joined returns the content of an upload whose parts a request lists, and its ETag.
func joined(request []byte, parts map[int][]byte) (content, tag string, ok bool) {
	var list struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	if xml.Unmarshal(request, &list) != nil || len(list.Part) == 0 {
		return "", "", false
	}
	numbers, tags := []int{}, md5.New()
	var whole strings.Builder
	for _, p := range list.Part {
		part, there := parts[p.PartNumber]
		sum := md5.Sum(part)
		if !there || strings.Trim(p.ETag, `"`) != hex.EncodeToString(sum[:]) {
			return "", "", false
		}
		tags.Write(sum[:])
		whole.Write(part)
		numbers = append(numbers, p.PartNumber)
	}
	return whole.String(), fmt.Sprintf(`"%x-%d"`, tags.Sum(nil), len(list.Part)), slices.IsSorted(numbers)
}
