package sessions

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	xhttp2 "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// serveHTTP2 serves documents by HTTP/2, one request after the other.
func serveHTTP2(v *visit) {
	if _, err := io.ReadFull(v.in, make([]byte, len(xhttp2.ClientPreface))); err != nil {
		return
	}
	frames := xhttp2.NewFramer(v, v.in)
	frames.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	frames.WriteSettings()
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *xhttp2.SettingsFrame:
			if !frame.IsAck() {
				frames.WriteSettingsAck()
			}
		case *xhttp2.PingFrame:
			if !frame.IsAck() {
				frames.WritePing(true, frame.Data)
			}
		case *xhttp2.MetaHeadersFrame:
			path := frame.PseudoValue("path")
			v.record(path, true)
			if v.reply("stream", answerHTTP2(frame.StreamID, strings.Split(path, "/")[1])) == gone {
				return
			}
		}
	}
}

// answerHTTP2 is the answer that a document of a name is, in frames. It breaks between frames
// only: half a frame is the end of its connection, and not of a stream. A second answer comes
// on the stream of the first, and one to another request on a stream that is not open.
func answerHTTP2(id uint32, name string) reply {
	head, last := stream(id, name)
	again := joined(stream(id, stale))
	return reply{
		whole:    head + last,
		middle:   len(head),
		end:      len(last),
		surplus:  again,
		other:    joined(stream(id+never, stale)),
		goodbye:  goAway(id - 1),
		farewell: head + goAway(id) + last, // before the end, at which the next request may begin
	}
}

// stream is an answer on a stream, and the last frame of it. The fields of its header change
// no table of HPACK, so that it may be left out.
func stream(id uint32, name string) (head, last string) {
	var header, out bytes.Buffer
	document := []byte(text(name))
	fields := hpack.NewEncoder(&header)
	fields.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	fields.WriteField(hpack.HeaderField{Name: "content-length", Value: fmt.Sprint(len(document)), Sensitive: true})
	frames := xhttp2.NewFramer(&out, nil)
	frames.WriteHeaders(xhttp2.HeadersFrameParam{StreamID: id, BlockFragment: header.Bytes(), EndHeaders: true})
	frames.WriteData(id, false, document[:len(document)/2])
	head = out.String()
	out.Reset()
	frames.WriteData(id, true, document[len(document)/2:])
	return head, out.String()
}

// never is even, and more than the number of any stream of these tests.
const never = 1 << 20

func joined(head, last string) string { return head + last }

// goAway ends the connection after the stream last.
func goAway(last uint32) string {
	var out bytes.Buffer
	xhttp2.NewFramer(&out, nil).WriteGoAway(last, xhttp2.ErrCodeNo, nil)
	return out.String()
}
