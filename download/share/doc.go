// Package share decides how many connections downloads take, and which span of a file each of
// them brings. It knows no clock, no network and no goroutine: events with their times go in,
// and actions come out, so that simulated lines can test it (internal/line).
//
// A [File] is one large file. The policy, in the order of a download:
//
//   - The first connection asks for the whole file. As soon as it is answered, a second one asks
//     for a span at the end, which it needs no time of the first one for: it is set up while the
//     first one doubles its rate with each round trip.
//   - When they have stopped growing, one more asks for a little. On a full line its answer waits
//     in the queue, and no more are made. If it comes at once, something else holds each
//     connection back, a loss or a limit of the server, and all that the limits allow are made.
//   - A span is cut off the end of what another connection has to bring. It has three quarters of
//     what the connection will bring until the end of the download, by the rates so far; then
//     the connection, which is kept, asks for the next span for one round trip. So the spans
//     become shorter, and all connections end together.
//   - What is cut off last counts most: a connection whose stream is cut short is closed, and
//     the line still carries what the server has sent. So nothing is cut off unless that gains a
//     quarter of the time, a request, and twice that waste.
//   - A source that refuses a connection gets no further ones. If there are several sources,
//     those not asked yet come first, then the quickest; what one does not bring for three
//     seconds, another one does.
//
// Times are measured, not fixed: the time of the first answer, and of later ones on kept
// connections, is the scale of all others. If answers come within 5 ms, round trips cost nothing
// and no connection is added unless the first one is found to be slow.
//
// A [Host] is one from which many small files come. It decides how many requests run at the
// same time.
package share
