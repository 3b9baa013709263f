package fault_test

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"io"
	nethttp "net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/seed1ea3422f/fetch/download"
)

// large and its other version are long enough for several segments.
var (
	large      = version{made(5, 6<<20), `"large"`, day}
	otherLarge = version{made(6, 6<<20), `"other"`, day.Add(time.Hour)}
	isLarge    = [][]byte{large.data}
	eitherOne  = [][]byte{large.data, otherLarge.data}
)

// largeSum is the checksum of large.
func largeSum() download.Sum {
	sum, err := download.ParseSum(fmt.Sprintf("sha256:%x", sha256.Sum256(large.data)))
	if err != nil {
		panic(err)
	}
	return sum
}

// A segment is a request for a range of large, or for the whole.
type segment struct {
	c        *link
	s        *scene
	n        int           // the number of the request, from 1
	pause    time.Duration // after each 64 KiB
	ranged   bool
	from, to int // the range; to is exclusive
}

// segmented makes a server of large. It sends slowly, so that the client has time to
// request other segments. odd answers requests from the second on, and reports whether it
// did; if not, the response is good.
func segmented(odd func(r *segment) bool) func(*scene) string {
	return func(s *scene) string {
		s.segments, s.armed = 4, odd != nil
		var n atomic.Int32
		s.serve("good.test:80", func(c *link) {
			in := bufio.NewReader(c)
			for {
				req, err := nethttp.ReadRequest(in)
				if err != nil {
					return
				}
				r := &segment{c: c, s: s, pause: 16 * time.Millisecond, n: int(n.Add(1)), to: len(large.data)}
				if span, ok := strings.CutPrefix(req.Header.Get("Range"), "bytes="); ok {
					r.ranged = true
					var last int
					if n, _ := fmt.Sscanf(span, "%d-%d", &r.from, &last); n == 2 {
						r.to = last + 1
					}
				}
				switch {
				case !r.ranged && s.second == nil: // the first request, answered slowly, so that others come
					r.pause *= 10
					r.whole(large)
				case odd != nil && odd(r):
					return
				case r.ranged:
					r.part(large, r.from, r.to, len(large.data))
				default:
					r.whole(large)
				}
			}
		})
		return "http://good.test/f.bin"
	}
}

// say sends a header and octets, at four megabytes a second or less.
func (r *segment) say(octets []byte, lines ...string) {
	io.WriteString(r.c, strings.Join(lines, "\r\n")+"\r\n\r\n")
	for len(octets) > 0 {
		n := min(len(octets), 64<<10)
		if _, err := r.c.Write(octets[:n]); err != nil {
			return
		}
		octets = octets[n:]
		time.Sleep(r.pause)
	}
}

// identity returns the header lines that identify a version.
func (f version) identity() []string {
	return []string{"ETag: " + f.etag, "Last-Modified: " + f.time.Format(nethttp.TimeFormat), "Accept-Ranges: bytes"}
}

// whole answers 200 with f.
func (r *segment) whole(f version) {
	lines := append([]string{"HTTP/1.1 200 OK"}, f.identity()...)
	r.say(f.data, append(lines, fmt.Sprintf("Content-Length: %d", len(f.data)))...)
}

// cutWhole is whole, but ends after an eighth once split is closed.
func (r *segment) cutWhole(f version, split <-chan struct{}) {
	lines := append([]string{"HTTP/1.1 200 OK"}, f.identity()...)
	r.say(f.data[:len(f.data)/8], append(lines, fmt.Sprintf("Content-Length: %d", len(f.data)))...)
	select {
	case <-split:
	case <-time.After(30 * time.Second):
	}
	time.Sleep(time.Second) // so that the client has read all of it
}

// part answers 206 with a range of f.
func (r *segment) part(f version, from, to, total int) {
	r.framed(f, f.data[from:to], fmt.Sprintf("%d-%d/%d", from, to-1, total), to-from)
}

// framed answers 206 with octets, with span in Content-Range, and length as
// Content-Length.
func (r *segment) framed(f version, octets []byte, span string, length int) {
	lines := append([]string{"HTTP/1.1 206 Partial Content"}, f.identity()...)
	r.say(octets, append(lines, "Content-Range: bytes "+span, fmt.Sprintf("Content-Length: %d", length))...)
}

// toSecond, toThird and toEach choose the requests that get an odd response.
func toSecond(answer func(r *segment)) func(*segment) bool {
	return func(r *segment) bool { return r.n == 2 && done(r, answer) }
}

func toThird(answer func(r *segment)) func(*segment) bool {
	return func(r *segment) bool { return r.n == 3 && done(r, answer) }
}

func toEach(answer func(r *segment)) func(*segment) bool {
	return func(r *segment) bool { return done(r, answer) }
}

// done answers r with an odd response, and counts it.
func done(r *segment, answer func(r *segment)) bool {
	r.s.strikes.Add(1)
	answer(r)
	return true
}

// span is the right Content-Range for r.
func (r *segment) span() string { return fmt.Sprintf("%d-%d/%d", r.from, r.to-1, len(large.data)) }

// The odd responses.
var (
	otherContent = func(r *segment) { // with the ETag of large
		r.framed(large, otherLarge.data[r.from:r.to], r.span(), r.to-r.from)
	}
	otherTag   = func(r *segment) { r.part(otherLarge, r.from, r.to, len(large.data)) }
	otherTotal = func(r *segment) { r.part(large, r.from, r.to, len(large.data)+1) }
	noTotal    = func(r *segment) {
		r.framed(large, large.data[r.from:r.to], fmt.Sprintf("%d-%d/*", r.from, r.to-1), r.to-r.from)
	}
	theWhole   = func(r *segment) { r.whole(large) }
	otherWhole = func(r *segment) { r.whole(otherLarge) }
	shifted    = func(r *segment) { r.part(large, r.from+1, r.to, len(large.data)) }
	early      = func(r *segment) { r.part(large, r.from-4096, r.to, len(large.data)) }
	fromStart  = func(r *segment) { r.part(large, 0, r.to, len(large.data)) }
	shifty     = func(r *segment) { r.framed(large, large.data[r.from-1:r.to-1], r.span(), r.to-r.from) } // undetectable
	lessRange  = func(r *segment) { r.part(large, r.from, r.to-4096, len(large.data)) }
	moreRange  = func(r *segment) { r.part(large, r.from, len(large.data), len(large.data)) }
	lessLength = func(r *segment) { r.framed(large, large.data[r.from:r.to-100], r.span(), r.to-r.from-100) }
	moreLength = func(r *segment) {
		r.framed(large, append(large.data[r.from:r.to:r.to], half[:100]...), r.span(), r.to-r.from+100)
	}
	cutSegment = func(r *segment) { r.framed(large, large.data[r.from:(r.from+r.to)/2], r.span(), r.to-r.from) }
	rstSegment = func(r *segment) { cutSegment(r); r.c.reset() }
	mute       = func(r *segment) { io.Copy(io.Discard, r.c) }
	muteHalf   = func(r *segment) { cutSegment(r); mute(r) }
	status     = func(line string) func(*segment) {
		return func(r *segment) { r.say([]byte(page), "HTTP/1.1 "+line, fmt.Sprintf("Content-Length: %d", len(page))) }
	}
	inPieces = func(r *segment) {
		r.say([]byte(fmt.Sprintf("--x\r\nContent-Range: bytes %s\r\n\r\n%s\r\n--x--\r\n", r.span(), large.data[r.from:r.to])),
			"HTTP/1.1 206 Partial Content", "ETag: "+large.etag, "Content-Type: multipart/byteranges; boundary=x", "Connection: close")
	}
	inCode = func(r *segment) {
		octets := zipped(large.data[r.from:r.to])
		r.say(octets, "HTTP/1.1 206 Partial Content", "ETag: "+large.etag, "Content-Encoding: gzip", "Content-Range: bytes "+r.span(), fmt.Sprintf("Content-Length: %d", len(octets)))
	}
	chunked = func(cut, more int) func(*segment) {
		return func(r *segment) {
			octets := chunks(append(large.data[r.from:r.to-cut:r.to-cut], half[:more]...), "") + "0\r\n\r\n"
			r.say([]byte(octets), "HTTP/1.1 206 Partial Content", "ETag: "+large.etag, "Content-Range: bytes "+r.span(), "Transfer-Encoding: chunked")
		}
	}
)

var segmentTrials = []trial{
	{name: "segments", does: "206 for each of them", serve: segmented(nil), data: isLarge, want: mustBeRight},
	{name: "the second segment has other octets, and the sum is known", does: "other octets under the same ETag", serve: segmented(toSecond(otherContent)), data: isLarge, sum: largeSum(), want: mustFail},
	{name: "the second segment is shifted in secret, and the sum is known", does: "octets from one offset before the one in Content-Range", serve: segmented(toSecond(shifty)), data: isLarge, sum: largeSum(), want: mustFail},
	{name: "the second segment has another ETag", does: "206 of another version", serve: segmented(toSecond(otherTag)), data: eitherOne},
	{name: "the third segment has another ETag", does: "206 of another version", serve: segmented(toThird(otherTag)), data: eitherOne},
	{name: "each segment has another ETag", does: "206 of another version", serve: segmented(toEach(otherTag)), data: eitherOne},
	{name: "the second segment has another total", does: "206 with a total that is one more", serve: segmented(toSecond(otherTotal)), data: isLarge},
	{name: "each segment has another total", does: "206 with a total that is one more", serve: segmented(toEach(otherTotal)), data: isLarge},
	{name: "the second segment has no total", does: "206 with an asterisk for the total", serve: segmented(toSecond(noTotal)), data: isLarge},
	{name: "the whole for the second segment", does: "200", serve: segmented(toSecond(theWhole)), data: isLarge},
	{name: "the whole for the third segment", does: "200", serve: segmented(toThird(theWhole)), data: isLarge},
	{name: "the whole for each segment", does: "200", serve: segmented(toEach(theWhole)), data: isLarge, want: mustBeRight},
	{name: "another version for the second segment", does: "200 with another version", serve: segmented(toSecond(otherWhole)), data: eitherOne},
	{name: "another version for each segment", does: "200 with another version", serve: segmented(toEach(otherWhole)), data: eitherOne},
	{name: "the second segment begins an octet late", does: "206 with such a Content-Range", serve: segmented(toSecond(shifted)), data: isLarge},
	{name: "each segment begins an octet late", does: "206 with such a Content-Range", serve: segmented(toEach(shifted)), data: isLarge},
	{name: "the second segment begins early", does: "206 with such a Content-Range", serve: segmented(toSecond(early)), data: isLarge},
	{name: "the second segment begins at the beginning", does: "206 from octet 0 to the end of the range", serve: segmented(toSecond(fromStart)), data: isLarge},
	{name: "the second segment ends early", does: "206 with such a Content-Range", serve: segmented(toSecond(lessRange)), data: isLarge},
	{name: "the third segment goes on to the end", does: "206 that ignores the end of the range", serve: segmented(toThird(moreRange)), data: isLarge},
	{name: "the second segment is shorter than its range", does: "206 with a length that is 100 less than the range", serve: segmented(toSecond(lessLength)), data: isLarge},
	{name: "the second segment is longer than its range", does: "206 with a length that is 100 more than the range", serve: segmented(toSecond(moreLength)), data: isLarge},
	{name: "the second segment ends at half", does: "206, and the connection ends at half", serve: segmented(toSecond(cutSegment)), data: isLarge, want: mustBeRight},
	{name: "the second segment is reset at half", does: "206, and the connection is reset at half", serve: segmented(toSecond(rstSegment)), data: isLarge, want: mustBeRight},
	{name: "each segment ends at half", does: "206, and the connection ends at half, every time", serve: segmented(toEach(cutSegment)), data: isLarge},
	{name: "no answer for the second segment", does: "silence", serve: segmented(toSecond(mute)), data: isLarge},
	{name: "no answer for each segment", does: "silence", serve: segmented(toEach(mute)), data: isLarge},
	{name: "the second segment stops at half", does: "206, and silence at half", serve: segmented(toSecond(muteHalf)), data: isLarge},
	{name: "416 for the second segment", does: "416", serve: segmented(toSecond(status("416 No"))), data: isLarge},
	{name: "404 for the second segment", does: "404", serve: segmented(toSecond(status("404 No"))), data: isLarge},
	{name: "503 for the second segment", does: "503", serve: segmented(toSecond(status("503 No"))), data: isLarge, want: mustBeRight},
	{name: "429 for each segment", does: "429", serve: segmented(toEach(status("429 No"))), data: isLarge, want: mustBeRight},
	{name: "the second segment in multipart/byteranges", does: "206 with one part", serve: segmented(toSecond(inPieces)), data: isLarge},
	{name: "the second segment in gzip", does: "206 in an unrequested coding", serve: segmented(toSecond(inCode)), data: isLarge},
	{name: "the second segment in chunks", does: "206 in chunks of the right length", serve: segmented(toSecond(chunked(0, 0))), data: isLarge},
	{name: "the second segment in chunks that are too short", does: "206 in chunks, 100 octets less than the range", serve: segmented(toSecond(chunked(100, 0))), data: isLarge},
	{name: "the second segment in chunks that are too long", does: "206 in chunks, 100 octets more than the range", serve: segmented(toSecond(chunked(0, 100))), data: isLarge},
}
