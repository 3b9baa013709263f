package otel

import (
	"crypto/tls"
	"errors"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.opentelemetry.io/otel/attribute"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// maxText is the maximum length of a text from a URL or a server, in bytes. A data URL may have
// megabytes.
const maxText = 2 << 10

// other is the value of url.scheme for all unknown schemes. The conventions use it for unknown
// methods of HTTP.
const other = "_OTHER"

// schemeOf returns the scheme of u, or other if neither package url nor the Syntax of u defines it.
func schemeOf(u *url.URL) string {
	if url.Describe(u.Scheme) != "" || slices.Contains(u.Syntax().Schemes(), u.Scheme) {
		return u.Scheme
	}
	return other
}

// shown returns the text of u for a span: without a user, and without a secret.
func (o *observer) shown(u *url.URL) string {
	public := *u
	public.User = nil
	if !o.queries && public.Query != "" {
		public.Query = "?***"
	}
	return clean(public.Redacted())
}

// query matches the query of a URL in a text, without the punctuation after it.
var query = regexp.MustCompile(`\?[^\s"'<>]*[^\s"'<>:;,.]`)

// text returns the text of an error about u, for a span.
func (o *observer) text(u *url.URL, err error) string {
	text := strings.ReplaceAll(err.Error(), u.Redacted(), o.shown(u))
	if !o.queries {
		text = query.ReplaceAllString(text, "?***") // of other URLs, such as the target of a redirection
	}
	return clean(text)
}

// clean returns valid UTF-8 of at most maxText bytes without control characters.
func clean(s string) string {
	if len(s) > maxText {
		s = s[:maxText-len("…")] + "…"
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return s
}

// errorType returns the class of an error, or nothing for nil.
func errorType(err error) []attribute.KeyValue {
	if err == nil {
		return nil
	}
	class, _ := record.Classify(err)
	return []attribute.KeyValue{attribute.String("error.type", string(class))}
}

// server returns the host and the port of u.
func server(u *url.URL) []attribute.KeyValue {
	if u.Host == "" {
		return nil
	}
	attrs := []attribute.KeyValue{attribute.String("server.address", clean(u.Host))}
	if port := u.PortOrDefault(); port != 0 {
		attrs = append(attrs, attribute.Int("server.port", int(port)))
	}
	return attrs
}

// peer returns the address of a connection. The address of a Unix socket has no port.
func peer(addr string) []attribute.KeyValue {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return []attribute.KeyValue{attribute.String("network.peer.address", clean(addr))}
	}
	attrs := []attribute.KeyValue{attribute.String("network.peer.address", clean(host))}
	if n, err := strconv.ParseUint(port, 10, 16); err == nil {
		attrs = append(attrs, attribute.Int("network.peer.port", int(n)))
	}
	return attrs
}

// transport returns the attribute for a network of package net: "tcp" for tcp, tcp4 and tcp6.
func transport(network string) attribute.KeyValue {
	return attribute.String("network.transport", strings.TrimRight(network, "46"))
}

func tlsVersion(state *tls.ConnectionState) attribute.KeyValue {
	return attribute.String("tls.protocol.version", strings.TrimPrefix(tls.VersionName(state.Version), "TLS "))
}

// response returns the attributes of the result of a request for u.
func response(u *url.URL, res *fetchers.Resource, err error) (attrs []attribute.KeyValue) {
	var reply fetchers.Reply
	var refused *fetchers.StatusError
	switch {
	case res != nil:
		attrs = append(attrs, attribute.String("fetch.kind", res.Kind.String()))
		if res.RemoteAddr != nil {
			attrs = append(attrs, peer(res.RemoteAddr.String())...)
		}
		if res.TLS != nil {
			attrs = append(attrs, tlsVersion(res.TLS))
		}
		reply = res.Reply
	case errors.As(err, &refused):
		reply = refused.Reply
	}
	if version, ok := strings.CutPrefix(reply.Proto, "HTTP/"); ok {
		attrs = append(attrs, attribute.String("network.protocol.name", "http"), attribute.String("network.protocol.version", clean(version)))
	}
	switch {
	case reply.Code == 0:
	case u.Scheme == "http" || u.Scheme == "https":
		attrs = append(attrs, attribute.Int("http.response.status_code", reply.Code))
	default:
		attrs = append(attrs, attribute.Int("fetch.reply.code", reply.Code))
	}
	return attrs
}
