package waistest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/seed1ea3422f/fetch/internal/apdu"
)

// roomy is how long messages may be.
const roomy = 100_000

// errDown is a request over which the server comes down.
var errDown = errors.New("down")

// A session is one connection.
type session struct {
	server *Server
	number int // of the connection
	conn   *net.TCPConn
	ctx    context.Context
	size   int // how long an answer may be
	sent   int // answers so far
}

// serve answers requests until the client leaves, or sends a request that makes the server crash.
func (s *Server) serve(ctx context.Context, conn *net.TCPConn, number int) {
	c := &session{server: s, number: number, conn: conn, ctx: ctx, size: roomy}
	in := bufio.NewReader(conn)
	for {
		h, body, err := apdu.Read(in, nil, roomy)
		if err != nil || in.Buffered() > 0 || h.Version > '2' || h.Encoding == 'h' {
			return
		}
		kind, answer, err := c.answer(body)
		if errors.Is(err, errDown) {
			return
		}
		if err != nil || len(answer) > c.size || s.room > 0 && len(answer) > s.room {
			answer = nil
		}
		if !c.send(kind, h.Append(nil, answer)) {
			return
		}
	}
}

// answer returns the answer to a request, and the kind of the request. For any error except
// errDown, the answer is empty.
func (c *session) answer(body []byte) (kind Command, answer []byte, err error) {
	pdu, err := apdu.Kind(body)
	if err != nil {
		return 0, nil, err
	}
	switch pdu {
	case apdu.InitPDU:
		m, err := apdu.ParseInit(body)
		if err != nil {
			return Init, nil, err
		}
		return Init, c.init(m), nil
	case apdu.SearchPDU:
		m, err := apdu.ParseSearch(body)
		if err != nil {
			return Search, nil, err
		}
		if m.Retrieve != nil {
			r, err := c.retrieve(m)
			return Retrieve, c.encode(r), err
		}
		return Search, c.encode(c.search(m)), nil
	}
	return 0, nil, fmt.Errorf("APDU %d", pdu)
}

func (c *session) init(m *apdu.Init) []byte {
	c.record(Request{Command: Init, Size: m.MaximumRecordSize})
	if n := int(m.MaximumRecordSize); n > 0 {
		c.size = min(c.size, n)
	}
	answer := apdu.InitResponse{
		Accepted: m.Options&(apdu.OptionPresent|apdu.OptionDelete) == 0,
		Init: apdu.Init{
			Options: apdu.OptionSearch, PreferredMessageSize: int64(c.size), MaximumRecordSize: int64(c.size),
			ImplementationID: "WT", ImplementationName: "waistest", ImplementationVersion: "1",
		},
	}
	return answer.Append(nil)
}

// encode writes a response.
func (c *session) encode(r *apdu.Response) []byte {
	if r == nil {
		return nil
	}
	if c.server.wide {
		return wide(r)
	}
	return r.Append(nil)
}
