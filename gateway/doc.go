// Package gateway shows resources of any URL in a browser: an http.Handler in front of a Fetcher.
//
//	handler := &gateway.Handler{Fetcher: &fetchers.Limiter{Fetcher: fetch.DefaultClient}}
//	server := &http.Server{Addr: "127.0.0.1:8070", Handler: handler}
//	new(gateway.Clients).Bound(server)
//	err := server.ListenAndServe()
//
// These are the requests that it answers, by GET and HEAD:
//
//	/                          a page with a field for a URL, and an example of each scheme
//	/style.css                 the style of the pages
//	/fetch/URL                 the resource of URL; a query belongs to the URL
//	/?url=URL                  the same; the URL is escaped, and parameters may follow
//	/fetch/SCHEME%3A…?as=json  the same, where all of the URL is escaped as one segment
//	/copy/PATH                 a file of Handler.Copy
//	/metrics                   Handler.Metrics, as text for Prometheus
//
// The parameters are
//
//	as      page, bytes or json
//	sort    of a listing: server, name, size, time, author, score, kind or thread
//	order   of a sorted listing: up or down
//	filter  of a listing: a text that a row has to have, in letters of either case
//	q       the words for an index
//	like    of a search of WAIS: the URL of a similar document, up to 50 times
//	answer1 of a form of Gopher+: the answer to its first field; answer2 to the second, and so on
//	part    of a message: the number of a part of it, from 1
//
// Without as, a listing, an index, a service and a redirection are pages, and documents are
// bytes. A message, a page of Gemini, a record of MARC and the attributes of an item of Gopher+
// are pages for a client whose Accept names text/html, and bytes for others. A client that
// prefers application/json gets JSON: a record.Record, or a record.Entry a line for a listing.
//
// # Listings
//
// Rows are sent while the server sends entries. A sorted listing holds 10,000 of them, or 8 MiB;
// later rows stay in the order of the server, behind a line that reports that. The listing of a
// newsgroup is sorted by threads, unless the request names another order.
//
// # Failures
//
// A failure before the first byte is a page, or a record, with a status that follows from its
// record.Class; docs/gateway.md has the table. A page that has begun ends with the reason. A
// document that is cut short ends without its end in HTTP, so that the client sees the cut.
//
// # Proxy
//
// With Handler.Proxy it is a forward proxy too, for GET and HEAD of any scheme:
//
//	GET gopher://h.dom/1/ HTTP/1.1
//
// A document is then in the origin of its URL, as without the proxy, and has the policies that
// its server declares; a redirection is the client's to follow. Pages about listings lead to the
// URLs themselves. With Handler.ConnectPorts, CONNECT opens tunnels.
//
// # Limits
//
// A Handler bounds how many fetches run at a time and how many wait, and Clients bound the
// connections of a server. A client has to read at a rate of 1 KiB/s, on the average.
// docs/gateway.md has the table.
//
// # Strangers
//
// An attacker may make a browser send requests to the gateway. The name in the field Host has to be
// one of Handler.Hosts, so that no page reaches the gateway by a name of its own. A page of another
// site cannot embed a resource of the gateway, and a link from there leads to a page that asks the
// user first. A link leads to a scheme of the Fetcher, or it is only text.
//
// Documents are in an opaque origin of their own, without scripts and without requests
// (Content-Security-Policy: sandbox). Pages of the gateway have no scripts, except the first: its
// script registers the gateway for the links of a scheme, and is allowed by its hash. Each URL is
// fetched as the URL of a stranger, without a login, a cookie or a certificate, unless the Handler
// is Trusted. A request to a server has one field of the client, Via, by which the gateway
// recognises its own requests and answers them with 508.
//
// Files of a Copy are in opaque origins too. The requests of such a page for its own pictures and
// styles look like those of another site, and so files of a Copy have addresses with a token that
// no other site knows.
//
// The answers to a form are parameters. No page has a link to a URL with a filled form in it, and
// a form that asks for a password or a file is only shown.
package gateway
