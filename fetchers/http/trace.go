package http

import (
	"context"
	"crypto/tls"
	nethttp "net/http"
	"net/http/httptrace"
	"slices"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// tell returns a context in which net/http tells the Trace of ctx what it sends.
func tell(ctx context.Context, method, target string) context.Context {
	trace := fetchers.ContextTrace(ctx)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if info.Reused {
				trace.Note("connection kept from before is used again: " + info.Conn.RemoteAddr().String())
			}
			version := "HTTP/1.1"
			if c, ok := info.Conn.(*tls.Conn); ok && c.ConnectionState().NegotiatedProtocol == "h2" {
				version = "HTTP/2"
			}
			trace.Sent(method + " " + target + " " + version)
		},
		WroteHeaderField: func(key string, values []string) {
			if strings.HasPrefix(key, ":") {
				return // HTTP/2 says there what the first line says here
			}
			for _, v := range values {
				trace.Sent(key + ": " + masked(key, v))
			}
		},
	})
}

// masked hides what a field keeps secret, and shows its scheme.
func masked(key, value string) string {
	switch strings.ToLower(key) {
	case "authorization", "proxy-authorization":
		scheme, _, _ := strings.Cut(value, " ")
		return scheme + " ***"
	case "cookie", "set-cookie":
		return "***"
	}
	return value
}

// told tells the Trace what came.
func told(resp *nethttp.Response) {
	trace := fetchers.ContextTrace(resp.Request.Context())
	trace.Got(resp.Proto + " " + resp.Status)
	keys := make([]string, 0, len(resp.Header))
	for key := range resp.Header {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		for _, v := range resp.Header[key] {
			trace.Got(key + ": " + masked(key, v))
		}
	}
}
