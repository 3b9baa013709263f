// Package otel makes OpenTelemetry spans and metrics of fetches. [New] returns a fetchers.Trace,
// which one call adds to the context of a program:
//
//	trace, err := fetchotel.New(fetchotel.Config{})
//	ctx = fetchers.WithTrace(ctx, trace)
//
// The Trace serves all fetches of that context and of contexts made from it. A program may add
// Traces of its own by further calls of WithTrace. The same Trace is added once only.
//
// # Spans
//
// Each request of a fetchers.Client is a span of kind client, from the request to the end of its
// Body. A redirection and a retry are requests too. The span is a child of the span in the context
// of the fetch. Its name is "fetch" and the scheme, such as "fetch ftp". Attributes follow the
// semantic conventions of OpenTelemetry where these have a name:
//
//	url.scheme, url.full         url.full without the user; *** replaces the query, unless Config.Queries is set
//	server.address, server.port  host and port of the URL
//	network.peer.address, .port  address of the server, or of the proxy
//	network.protocol.version     of HTTP
//	http.response.status_code    of HTTP and HTTPS
//	tls.protocol.version         if the connection has TLS
//	error.type                   class of the failure, as package record names it
//	fetch.reply.code             code of the reply, in other protocols than HTTP
//	fetch.kind                   document, listing, index, redirect, session or unchanged
//	fetch.body.size              bytes of the Body that were read
//	fetch.body.closed            true if the Body was closed before its end
//
// Events of the span are dns.start, dns.done, connect.start, connect.done, connect.reuse,
// tls.start, tls.done and first_byte. The span of the caller receives the events fetch.login,
// fetch.redirect and fetch.retry, which are decisions between two requests.
//
// A text from a URL or a server has at most 2 KiB in an attribute. Control characters and invalid
// UTF-8 are replaced.
//
// # Metrics
//
//	fetch.client.duration            s        histogram  from the request to the end of the Body, or to the failure
//	fetch.client.response.duration   s        histogram  from the request to the response, or to the failure
//	fetch.client.body.size           By       histogram  bytes of the Body that were read
//	fetch.client.active_fetches      {fetch}  up-down    requests whose Body has not ended
//	fetch.client.errors              {error}  counter    failures, by error.type
//
// If a Client resumes a Body that broke off, the request for the rest is observed like any other.
// Its bytes count for the first Body too, as for fetchers.Trace.BodyDone.
//
// The attributes of metrics are url.scheme, fetch.kind and error.type. Each has a bounded set of values:
// a scheme that neither package url nor the Syntax of the URL defines is "_OTHER". No host, path or
// URL is an attribute of a metric.
//
// # Limits
//
// A fetch by a Fetcher without a Client has no span, since only a Client reports its requests. No
// trace context is sent to servers: a Trace cannot change a request. A program that wants it sets
// the field traceparent in Request.Header.
package otel
