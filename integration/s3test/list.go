package s3test

import (
	"encoding/base64"
	"encoding/xml"
	"io/fs"
	"net/http"
	neturl "net/url"
	"slices"
	"strconv"
	"strings"
)

// A result is a page of a listing.
type result struct {
	XMLName        xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
	Name           string
	Prefix         string
	NextToken      string `xml:"NextContinuationToken,omitempty"`
	KeyCount       int
	MaxKeys        int
	Delimiter      string `xml:",omitempty"`
	EncodingType   string `xml:",omitempty"`
	IsTruncated    bool
	Contents       []content
	CommonPrefixes []prefix
}

type content struct {
	Key          string
	LastModified string
	ETag         string
	Size         int64
	StorageClass string
}

type prefix struct{ Prefix string }

// A name is an object, or a common prefix of some.
type name struct {
	key    string
	prefix bool
}

// list answers with a page of a listing.
func (s *Server) list(w http.ResponseWriter, bucket string, query neturl.Values) {
	page := result{Name: bucket, Prefix: query.Get("prefix"), Delimiter: query.Get("delimiter"), MaxKeys: s.page}
	if n, err := strconv.Atoi(query.Get("max-keys")); err == nil && n >= 0 {
		page.MaxKeys = min(n, s.page)
	}
	after, _ := base64.URLEncoding.DecodeString(query.Get("continuation-token"))
	encode := func(s string) string { return s }
	if query.Get("encoding-type") == "url" && !s.plain {
		page.EncodingType = "url"
		encode = func(s string) string { return strings.ReplaceAll(neturl.QueryEscape(s), "%2F", "/") }
	}
	names := grouped(s.keys(bucket, page.Prefix), page.Prefix, page.Delimiter)
	names = slices.DeleteFunc(names, func(n name) bool { return n.key <= string(after) })
	if len(names) > page.MaxKeys {
		names = names[:page.MaxKeys]
		page.IsTruncated = true
		page.NextToken = base64.URLEncoding.EncodeToString([]byte(names[len(names)-1].key))
	}
	page.KeyCount, page.Prefix = len(names), encode(page.Prefix)
	for _, n := range names {
		if n.prefix {
			page.CommonPrefixes = append(page.CommonPrefixes, prefix{encode(n.key)})
			continue
		}
		o, found := s.find(bucket, n.key, "")
		if !found {
			continue
		}
		o.close()
		page.Contents = append(page.Contents, content{
			encode(n.key), o.at.Format("2006-01-02T15:04:05.000Z"), o.tag, o.size, "STANDARD",
		})
	}
	text, err := xml.Marshal(page)
	if err != nil {
		panic("s3test: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/xml")
	w.Header().Set("Content-Length", strconv.Itoa(len(xml.Header)+len(text)))
	w.Write(append([]byte(xml.Header), text...))
}

// keys returns the keys of a bucket that begin with a prefix, sorted.
func (s *Server) keys(bucket, prefix string) (keys []string) {
	for _, o := range s.objects {
		if o.bucket == bucket && o.version == "" && strings.HasPrefix(o.key, prefix) {
			keys = append(keys, o.key)
		}
	}
	fs.WalkDir(s.fsys, bucket, func(path string, d fs.DirEntry, err error) error {
		if key, below := strings.CutPrefix(path, bucket+"/"); err == nil && below && d.Type().IsRegular() && strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
		return nil // the bucket may be one of objects alone
	})
	slices.Sort(keys)
	return slices.Compact(keys)
}

// grouped returns sorted keys with those that have the delimiter behind the prefix as one.
func grouped(keys []string, prefix, delimiter string) (names []name) {
	for _, key := range keys {
		n := name{key: key}
		if i := strings.Index(key[len(prefix):], delimiter); delimiter != "" && i >= 0 {
			n = name{key[:len(prefix)+i+len(delimiter)], true}
		}
		if len(names) == 0 || names[len(names)-1] != n {
			names = append(names, n)
		}
	}
	return names
}
