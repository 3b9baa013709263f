// Package share decides how many connections downloads take, and which span of a file each of
// them brings. It knows no clock, no network and no goroutine: events with their times go in,
// and actions come out, so that simulated lines can test it (internal/line).
//
// A [File] is one large file. The policy, in the order of a download:
//
//   - The first connection asks for the whole file. Where nothing holds it back, it fills the line
//     by itself, and another one would only take from it.
//   - When it has stopped growing, one more is tried. On a full line its answer waits in the queue;
//     then it gives its span back. If the answer comes at once, what both bring is compared with
//     what the first one brought. If that is more, a loss or a limit of the server holds each
//     connection back, and all that the limits allow are made. If not, the next try is after a
//     pause, which grows by half each time, up to ten seconds.
//   - A span is cut off the end of what another connection has to bring. It has three quarters of
//     what the connection will bring until the end of the download, by the rates so far; then
//     the connection, which is kept, asks for the next span for one round trip. So the spans
//     become shorter, and all connections end together.
//   - What is cut off last counts most: a connection whose stream is cut short is closed, and
//     the line still carries what the server has sent. So nothing is cut off unless that gains a
//     quarter of the time, a request, and twice that waste.
//   - A source that refuses a connection gets no further ones. If there are several sources,
//     those not asked yet come first, then the quickest.
//   - What a connection does not bring for three seconds, another one does.
//
// Times are measured, not fixed: the time of the first answer, and of later ones on kept
// connections, is the scale of all others. If answers come within 5 ms, round trips cost nothing
// and no connection is added unless the first one is found to be slow.
//
// A [Host] is one from which many small files come. It decides how many requests run at the
// same time.
package share
