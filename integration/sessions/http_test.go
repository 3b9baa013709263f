package sessions

import (
	"fmt"
	nethttp "net/http"
	"strings"
)

// serveHTTP serves documents by HTTP/1.1, with their length or in chunks.
func serveHTTP(v *visit) {
	for {
		r, err := nethttp.ReadRequest(v.in)
		if err != nil {
			return
		}
		name := strings.Split(r.URL.Path, "/")[1]
		v.record(r.URL.Path, true)
		how := v.host.framing(v)
		answer := reply{
			whole:    answerHTTP(how, name, ""),
			surplus:  answerHTTP(how, stale, ""),
			early:    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
			goodbye:  "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
			farewell: answerHTTP(how, name, "Connection: close\r\n"),
			end:      len("0\r\n\r\n"),
		}
		if v.reply(how, answer) == gone {
			return
		}
	}
}

// framing returns the framing of answers: that of the trial, and in a crowd one for each connection.
func (h *host) framing(v *visit) string {
	switch {
	case h.step != "":
		return h.step
	case v.number%2 == 0:
		return "chunks"
	}
	return "length"
}

// answerHTTP is the answer that a document of a name is.
func answerHTTP(how, name, field string) string {
	document := text(name)
	if how == "length" {
		return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s", field, len(document), document)
	}
	return fmt.Sprintf("HTTP/1.1 200 OK\r\n%sTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", field, len(document), document)
}
