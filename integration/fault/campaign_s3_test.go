package fault_test

import (
	"strings"
	"testing/fstest"

	"github.com/seed1ea3422f/fetch/integration/s3test"
	"github.com/seed1ea3422f/fetch/url"
)

// s3Server makes an S3 server of v1, whose name is that of the bucket and the key.
func s3Server(key string, opts ...s3test.Option) func(*scene) string {
	return func(s *scene) string {
		server := s3test.NewServer(fstest.MapFS{"bucket/f.bin": {Data: v1.data, ModTime: v1.time}}, opts...)
		s.Cleanup(server.Close)
		endpoint, err := url.Parse(server.URL)
		if err != nil {
			s.Fatal(err)
		}
		s.endpoint = endpoint
		return "s3://bucket/" + key
	}
}

// s3Fault is a fault of an object or a listing, after a number of octets.
func s3Fault(path string, do s3test.Action, after int64, once bool) func(*scene) string {
	return s3Server(strings.TrimPrefix(path, "bucket/"), s3test.Faults(s3test.Fault{Path: path, Do: do, After: after, Once: once}))
}

// s3Entries makes n objects in the directory d/.
func s3Entries(n int, opts ...s3test.Option) func(*scene) string {
	for i := range n {
		opts = append(opts, s3test.Object("bucket", "d/"+strings.Repeat("x", 1+i), "", "x"))
	}
	return listed(s3Server("d/", opts...))
}

var s3Trials = []trial{
	{name: "s3", does: "the object", serve: s3Server("f.bin"), want: mustBeRight},
	{name: "s3 is cut at half, once", does: "half of the object, and the end of the connection, once", serve: s3Fault("bucket/f.bin", s3test.Cut, atHalf, true), want: mustBeRight},
	{name: "s3 is cut at half, every time", does: "half of the rest of the object, and the end of the connection", serve: s3Fault("bucket/f.bin", s3test.Cut, 100, false), want: mustFail},
	{name: "s3 is reset at half, once", does: "half of the object, and a reset, once", serve: s3Fault("bucket/f.bin", s3test.Reset, atHalf, true), want: mustBeRight},
	{name: "s3 stalls at half", does: "half of the object, and nothing more", serve: s3Fault("bucket/f.bin", s3test.Stall, 100, false), want: mustFail},
	{name: "an S3 server that never answers", does: "nothing", serve: s3Fault("bucket/f.bin", s3test.Silence, 0, false), want: mustFail},
	{name: "s3 is busy twice", does: "SlowDown, twice, and the object", serve: s3Server("f.bin", s3test.Fail("bucket/f.bin", 2, 503, "SlowDown")), want: mustBeRight},
	{name: "s3 is busy for good", does: "SlowDown", serve: s3Server("f.bin", s3test.Fail("bucket/f.bin", 100, 503, "SlowDown")), want: mustFail},
	{name: "an object of s3 is missing", does: "NoSuchKey", serve: s3Server("none"), want: mustFail},
	{name: "a bucket in a region without an end", does: "PermanentRedirect", serve: s3Server("f.bin", s3test.Region("", "eu-west-1"), s3test.Fail("bucket/f.bin", 100, 301, "PermanentRedirect")), want: mustFail},
	{name: "an s3 listing of 12 pages", does: "120 names, 10 on each page", serve: s3Entries(120, s3test.PageSize(10)), entries: 120, want: mustBeRight},
	{name: "an s3 listing is cut", does: "half of the first page, and the end of the connection", serve: s3Entries(120, s3test.Faults(s3test.Fault{Path: "bucket/d/", After: 1000, Do: s3test.Cut})), want: mustFail},
	{name: "an s3 listing is refused", does: "InternalError", serve: s3Entries(1, s3test.Fail("bucket/d/", 100, 500, "InternalError")), want: mustFail},
}
