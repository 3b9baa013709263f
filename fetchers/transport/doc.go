// Package transport is what protocols share on their way to a server: connections that obey
// the rules of a [fetchers.Network], TLS, the Tap of whoever wants to hear, and pools of
// sessions that are kept for the next fetch. The protocols of this module are made of it, and
// so can those of other modules: nothing that a protocol needs of a connection is elsewhere.
//
//	connections  Dial; DialData for a second one with the same server; DialUDP, HearAnyPort
//	TLS          Conn.Secure, TLSConfig, Tickets
//	lines        CheckLine before a line is sent; ReadLine, NewDotReader
//	limits       Conn.Await, Conn.Flow, Conn.HeaderLimit, CheckExpansion
//	secrets      Conn.Conceal, Conn.Mask, Conn.WriteAs, Masked
//	sessions     Pool, Errand, Lease
//
// A protocol with one request per connection needs a [Conn] only, and a [Dialer] in its Fetcher,
// which keeps the number of connections to a host within MaxConnsPerHost of the Network:
//
//	conn, err := f.dialer.Dial(ctx, f.Network, req.URL.Addr())
//	if err != nil {
//		return nil, fetchers.NewError("connect", req.URL, err)
//	}
//	in := bufio.NewReader(conn)
//	conn.Trace().Sent(line)
//	conn.Write([]byte(line + "\r\n")) // which has passed CheckLine
//	conn.Await()                      // the answer has to come within Network.Response
//	…                                 // read it from in, by ReadLine for instance
//	conn.Flow()                       // for the body only Network.Stall holds
//	res.SetBody(struct {
//		io.Reader
//		io.Closer
//	}{in, conn})
//
// Whoever returns an error closes the connection.
//
// A protocol that keeps sessions has a type that is a [Session], a [Pool] of them in its
// Fetcher, and fetches by [Pool.Fetch]. The [Terms] of a fetch have the Network, and so its limits,
// and the host for which the session counts. What ends an exchange is the [Lease]: Done after a
// whole answer, Close in every other case. These rules keep one answer from being taken for
// another:
//
//   - A session is kept only if it is in step: the server has answered every request and has
//     sent nothing else.
//   - A kept session is used only if it is quiet: nothing has come since. After a second it
//     is asked, too, and has to answer.
//   - A session whose Body was not read to its end, whose fetch was cancelled, or on which
//     anything was not as it should be, is closed.
//   - A failure on a kept session that may be due to its age is no failure of the fetch:
//     another session takes its place.
package transport
