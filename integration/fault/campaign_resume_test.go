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
	{id: "r-ok", serve: resumed(good), twice: true, want: mustBeRight},
	{id: "r-ignored", serve: resumed(func(v *visit) { v.rest = false; v.serve(v1, all) }), twice: true, want: mustBeRight},
	{id: "r-206-zero", serve: resumed(toRest(v1, func(v *visit) { v.part(v1, "0-262143/262144", len(v1.data), v1.data) })), twice: true},
	{id: "r-206-shift", serve: resumed(toRest(v1, func(v *visit) {
		rest := v1.data[v.from+4096:]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from+4096), len(rest), rest)
	})), twice: true},
	{id: "r-206-total", serve: resumed(toRest(v3, func(v *visit) {
		v.part(v3, fmt.Sprintf("%d-319999/320000", v.from), len(v3.data)-v.from, v3.data[v.from:])
	})), twice: true, data: [][]byte{v3.data}},
	{id: "r-206-short", serve: resumed(toRest(v1, func(v *visit) {
		short := v1.data[v.from : len(v1.data)-65536]
		v.part(v1, fmt.Sprintf("%d-262143/262144", v.from), len(short), short)
	})), twice: true},
	{id: "r-206-multi", serve: resumed(toRest(v1, func(v *visit) {
		v.say([]byte(fmt.Sprintf("--x\r\nContent-Range: bytes %d-262143/262144\r\n\r\n%s\r\n--x--\r\n", v.from, v1.data[v.from:])),
			"HTTP/1.1 206 Partial Content", "ETag: "+v1.etag, "Content-Type: multipart/byteranges; boundary=x", "Connection: close")
	})), twice: true},
	{id: "r-changed", serve: resumed(func(v *visit) { v.serve(v2, all) }), twice: true, data: isV2, want: mustBeRight},
	{id: "r-changed-noif", serve: resumed(func(v *visit) { v.anyway(v2, all) }), twice: true, data: isV2},
	{id: "r-changed-lm", serve: resumedFrom(withoutTag(v1), func(v *visit) { v.anyway(withoutTag(v2), all) }), twice: true, data: isV2},
	{id: "r-changed-inrun", serve: func(s *scene) string {
		s.inRun = true
		return resumed(func(v *visit) { v.anyway(v2, all) })(s)
	}, data: isV2},
	{id: "r-smaller", serve: resumed(func(v *visit) { v.anyway(v4, all) }), twice: true, data: isV4},
	{id: "r-416-lie", serve: resumed(toRest(v1, func(v *visit) {
		v.say(nil, "HTTP/1.1 416 No", "Content-Range: bytes */262144", "Content-Length: 0")
	})), twice: true},
	{id: "r-416-bare", serve: resumed(toRest(v1, func(v *visit) { v.say(nil, "HTTP/1.1 416 No", "Content-Length: 0") })), twice: true},
	{id: "r-errpage", serve: resumed(func(v *visit) {
		if v.n <= 4 {
			v.say([]byte(page), "HTTP/1.1 503 No", "Content-Length: 27")
			return
		}
		good(v)
	}), twice: true},
	{id: "r-foreign", serve: answers(good), want: mustBeRight},
	{id: "r-gzip", serve: func(s *scene) string {
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
