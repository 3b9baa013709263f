// Package proxy connects through SOCKS and HTTP proxies.
//
// A [Proxy], or a [Dialer], is a Dial for a fetchers.Network: all protocols go
// through it alike. [Rules] say which proxy is for which URL, [FromEnvironment]
// finds them where users put them, and a [Router] applies them. An HTTP proxy
// can also be asked for the URL itself, which is what the Proxy of an
// http.Fetcher does. A first proxy, of SOCKS, may stand before all
// others: Rules.First.
//
// The scheme of the proxy's URL says how it is spoken to. Its user and password
// are sent to the proxy and to nobody else.
//
// socks5 and socks5h, also called socks, are RFC 1928. The first resolves the
// target's name here and sends the address; with the other two the proxy
// resolves it, and nobody near us hears of it:
//
//	C: 05 02 00 02                       methods: none, password (with a user only)
//	S: 05 02                             password, please (RFC 1929)
//	C: 01 03 "joe" 06 "secret"
//	S: 01 00
//	C: 05 01 00 03 0B "example.org" 00 50   or 01 and 4 octets, or 04 and 16
//	S: 05 00 00 01 7F 00 00 01 04 38        what follows is from example.org:80
//
// socks4 and socks4a are older. The first takes IPv4 addresses only, so names
// are resolved here; the second has names too. There are users, but no passwords:
//
//	C: 04 01 00 50 C0 00 02 07 "joe" 00
//	C: 04 01 00 50 00 00 00 01 "joe" 00 "example.org" 00
//	S: 00 5A 00 00 00 00 00 00
//
// http and https make a tunnel (RFC 9110, section 9.3.6), the second over TLS to
// the proxy. The proxy resolves the name:
//
//	C: CONNECT example.org:21 HTTP/1.1
//	C: Host: example.org:21
//	C: User-Agent: fetch
//	C: Proxy-Authorization: Basic am9lOnNlY3JldA==
//	C:
//	S: HTTP/1.1 200 Connection established
//	S:                                   what follows is from example.org:21
//
// With Logins, the field is left out until the proxy has asked for it (RFC 9110,
// section 11.7), and may be of Digest then.
//
// What a proxy answers instead is a fetchers.ProxyError, and so is a failure to reach it;
// both are ErrProxy. It has the proxy's number and words, and the class that
// belongs to them: a proxy that does not let us in or through is
// fs.ErrPermission and never ErrLogin, for which a Client would offer the
// password that is for the server.
//
// # Names and addresses
//
// The RemoteAddr of a connection is the target's, and not the proxy's: a
// *net.TCPAddr if the address is known here, and otherwise an address that is
// the target's name and port. A second connection to the same machine, such as
// the data connection of FTP, is made by dialling that.
//
// # Policies
//
// A policy on addresses, such as fetchers.Guarded with PublicOnly, judges the
// connections that we make. Behind a proxy that is the proxy's address only,
// and not the target's, which is the proxy's to judge. Set Forward to the
// guarded function and the proxy's address at least is judged; do not rely on
// the policy for more.
//
// The package never reads the environment.
package proxy
