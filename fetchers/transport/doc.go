// Package transport has the common parts of protocols: connections that obey the rules of a
// [fetchers.Network], TLS, Taps, and pools of sessions that are kept for later fetches. The
// protocols of this module use only this package for their connections, so that protocols of other
// modules can do the same.
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
// A caller that returns an error closes the connection.
//
// A protocol that keeps sessions has a type that implements [Session] and, in its Fetcher, a [Pool]
// of them; it fetches by [Pool.Fetch]. The [Terms] of a fetch have the Network with its limits, and
// the host for which the session counts. The [Lease] ends an exchange: by Done after a complete
// answer, and by Close in every other case. These rules ensure that no answer is taken for that of
// another request:
//
//   - A session is kept only if it is in step: the server has answered every request and has sent
//     nothing else.
//   - A kept session is used only if it is quiet: no bytes have arrived since. After a second
//     without use it must also answer a Ping.
//   - A session is closed if its Body was not read to its end, if its fetch was cancelled, or
//     after any fault.
//   - If a failure on a kept session may be due to its age, the fetch does not fail, but uses
//     another session.
package transport
