package fault_test

import (
	"fmt"
)

// resumed answers the first request with half of v1, and those of the second run with
// later. All others are reset, so that there is a second run.
func resumed(later func(*visit)) func(*scene) string { return resumedFrom(v1, later) }

func resumedFrom(f version, later func(*visit)) func(*scene) string {
	return func(s *scene) string {
		return s.http(func(v *visit) {
			switch {
			case v.n == 1:
				v.serve(f, len(half))
			case s.runs.Load() < 2 && !s.inRun:
				v.reset()
			default:
				later(v)
			}
		})
	}
}

// toRest answers a request for a range in its own way, and others well.
func toRest(f version, answer func(*visit)) func(*visit) {
	return func(v *visit) {
		if v.rest {
			answer(v)
		} else {
			v.serve(f, all)
		}
	}
}

// withoutTag is a version of which only the time is known.
func withoutTag(f version) version { f.etag = ""; return f }

var (
	isV2 = [][]byte{v2.data}
	isV4 = [][]byte{v4.data}
)

var httpResume = []trial{
	{name: "taken up in a second run", serve: resumed(good), twice: true, want: mustBeRight},
	{name: "the second run gets the whole", serve: resumed(func(v *visit) { v.rest = false; v.serve(v1, all) }), twice: true, want: mustBeRight},
	{name: "206 of the whole for any request", serve: resumed(toRest(v1, func(v *visit) { v.part(v1, "0-262143/262144", len(v1.data), v1.data) })), twice: true},
	{name: "206 that begins too late", serve: resumed(toRest(v1, func(v *visit) {
		rest := v1.data[v.from+4096:]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from+4096), len(rest), rest)
	})), twice: true},
	{name: "206 of a file of another size", serve: resumed(toRest(v3, func(v *visit) {
		v.part(v3, fmt.Sprintf("%d-319999/320000", v.from), len(v3.data)-v.from, v3.data[v.from:])
	})), twice: true, data: [][]byte{v3.data}},
	{name: "206 that is shorter than its range", serve: resumed(toRest(v1, func(v *visit) {
		short := v1.data[v.from : len(v1.data)-65536]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from), len(short), short)
	})), twice: true},
	{name: "206 in multipart/byteranges", serve: resumed(toRest(v1, func(v *visit) {
		v.say([]byte(fmt.Sprintf("--x\r\nContent-Range: bytes %d-262143/262144\r\n\r\n%s\r\n--x--\r\n", v.from, v1.data[v.from:])),
			"HTTP/1.1 206 Partial Content", "ETag: "+v1.etag, "Content-Type: multipart/byteranges; boundary=x", "Connection: close")
	})), twice: true},
	{name: "the file has changed, If-Range is honoured", serve: resumed(func(v *visit) { v.serve(v2, all) }), twice: true, data: isV2, want: mustBeRight},
	{name: "the file has changed, If-Range is ignored", serve: resumed(func(v *visit) { v.anyway(v2, all) }), twice: true, data: isV2},
	{name: "the file has changed, with a time only", serve: resumedFrom(withoutTag(v1), func(v *visit) { v.anyway(withoutTag(v2), all) }), twice: true, data: isV2},
	{name: "the file changes between two tries", serve: func(s *scene) string {
		s.inRun = true
		return resumed(func(v *visit) { v.anyway(v2, all) })(s)
	}, data: isV2},
	{name: "the file has become smaller", serve: resumed(func(v *visit) { v.anyway(v4, all) }), twice: true, data: isV4},
	{name: "416 with the right size", serve: resumed(toRest(v1, func(v *visit) {
		v.say(nil, "HTTP/1.1 416 No", "Content-Range: bytes */262144", "Content-Length: 0")
	})), twice: true},
	{name: "416 without a size", serve: resumed(toRest(v1, func(v *visit) { v.say(nil, "HTTP/1.1 416 No", "Content-Length: 0") })), twice: true},
	{name: "a page for 503 to the rest", serve: resumed(func(v *visit) {
		if v.n <= 4 {
			v.say([]byte(page), "HTTP/1.1 503 No", "Content-Length: 27")
			return
		}
		good(v)
	}), twice: true},
	{name: "a file of that name exists, over HTTP", foreign: true, serve: answers(good), want: mustBeRight},
	{name: "the rest of a compressed body", serve: func(s *scene) string {
		s.request.Compress = true
		coded := version{zipped(v1.data), `"gz"`, day}
		return s.http(func(v *visit) {
			until := all
			if v.n == 1 {
				until = len(coded.data) / 2
			} else if s.runs.Load() < 2 {
				v.reset()
				return
			}
			v.coding = "gzip"
			v.serve(coded, until)
		})
	}, twice: true},
}
