// Package share decides how many connections a download uses, and which range each of them fetches.
// It has no clock, network or goroutine: its input are events with their times, and its output are
// actions, so that tests can simulate network paths (internal/line).
//
// A [File] is one large file. A download follows this policy:
//
//   - The first connection requests the whole file. If nothing limits it, it uses the full
//     bandwidth by itself, and a second connection would only take bandwidth from it.
//   - When its rate has stopped growing, one more connection is tried. If the path is full, the new
//     response waits in the queue; the connection then gives its span back. If the response is
//     immediate, the rate of both is compared with the earlier rate. If it is higher, packet loss
//     or a limit of the server slows each connection down, and all connections that the limits
//     allow are opened. Otherwise the next trial follows after a pause, which grows by half each
//     time, up to ten seconds.
//   - A new span is cut off the end of another connection's span. Its size is three quarters of the
//     predicted number of bytes until the end of the download; then the connection, which is kept
//     alive, requests another span, at the cost of a round trip. The spans become shorter, so that
//     all connections end together.
//   - Cutting has a cost: a connection whose stream is cut short is closed, and the path still
//     carries the bytes that the server has sent. A span is therefore cut only if that saves a
//     quarter of the time, the time of a request, and twice the time of the wasted bytes.
//   - A source that refuses a connection gets no further ones. With several sources, the unused
//     ones come first, then the fastest.
//   - If a connection fetches nothing for three seconds, another one takes its span over.
//
// Time limits derive from measurements: the scale is the time of the first response, and of later
// ones on kept connections. If responses take less than 5 ms, round trips cost nothing, and no
// connection is added unless the first one is slow.
//
// A [Host] is a host with many small files. It decides how many requests run at the same time.
package share
