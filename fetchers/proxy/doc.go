// Package proxy connects through SOCKS and HTTP proxies.
//
// A [Proxy], or the function of a [Dialer], is a Dial for a fetchers.Network: all protocols then
// use the proxy. [Rules] define the proxy for each URL, [FromEnvironment] reads them from
// environment variables, and a [Router] applies them. An HTTP proxy can also fetch a URL itself, by
// the Proxy of an http.Fetcher. Rules.First is a SOCKS proxy through which all other proxies are
// reached.
//
// The scheme of the proxy's URL is the protocol of the proxy. Its user and password are sent to the
// proxy only.
//
// socks5 and socks5h, also called socks, are RFC 1928. With socks5 the target's name is resolved
// here and the address is sent. With the other two the proxy resolves the name, so that no DNS
// server near the client sees it:
//
//	C: 05 02 00 02                       methods: none, password (with a user only)
//	S: 05 02                             password required (RFC 1929)
//	C: 01 03 "joe" 06 "secret"
//	S: 01 00
//	C: 05 01 00 03 0B "example.org" 00 50   or 01 and 4 bytes, or 04 and 16
//	S: 05 00 00 01 7F 00 00 01 04 38        the bytes that follow are from example.org:80
//
// socks4 and socks4a are older. socks4 accepts IPv4 addresses only, so that names are resolved
// here; socks4a accepts names too. They have users, but no passwords:
//
//	C: 04 01 00 50 C0 00 02 07 "joe" 00
//	C: 04 01 00 50 00 00 00 01 "joe" 00 "example.org" 00
//	S: 00 5A 00 00 00 00 00 00
//
// http and https make a tunnel (RFC 9110, section 9.3.6), https over TLS to the proxy. The proxy
// resolves the name:
//
//	C: CONNECT example.org:21 HTTP/1.1
//	C: Host: example.org:21
//	C: User-Agent: fetch
//	C: Proxy-Authorization: Basic am9lOnNlY3JldA==
//	C:
//	S: HTTP/1.1 200 Connection established
//	S:                                   the bytes that follow are from example.org:21
//
// If Logins is set, the field is sent only after a challenge of the proxy (RFC 9110, section 11.7),
// and may use Digest.
//
// Any other reply of a proxy is a fetchers.ProxyError, and so is a failure to reach it; both are
// ErrProxy. The error has the number and text of the proxy, and a class: if a proxy rejects the
// client or the target, it is fs.ErrPermission, and never ErrLogin, because a Client would then
// send the password for the server.
//
// # Names and addresses
//
// The RemoteAddr of a connection is that of the target, and not of the proxy: a *net.TCPAddr if the
// address is known here, and otherwise an address with the target's name and port. A second
// connection to the same machine, such as the data connection of FTP, dials that address.
//
// # Policies
//
// A policy on addresses, such as fetchers.Guarded with PublicOnly, checks the connections of this
// process. Behind a proxy it sees the proxy's address only; the target's address is checked by the
// proxy, if at all. If Forward is a guarded function, the proxy's address is checked; the policy
// guarantees no more.
//
// The package never reads the environment.
package proxy
