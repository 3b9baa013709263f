package sftp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

// A session is the use of a link by one fetch at a time.
type session struct {
	f     *Fetcher
	link  *link
	key   key
	lease *lease

	ctx   context.Context
	trace fetchers.Tracer
	heard fetchers.Tracer // the Tracer of tap
	tap   *fetchers.Tap   // nil without a Tap
	pace  *fetchers.Pace
	first bool // no byte has arrived for this fetch

	gone sync.Once
	left chan struct{} // closed by Close
}

func newSession(ctx context.Context, f *Fetcher, l *link, k key) *session {
	s := &session{f: f, link: l, key: k, left: make(chan struct{})}
	s.Bind(ctx)
	return s
}

// Bind makes s obey ctx instead of its previous context.
func (s *session) Bind(ctx context.Context) {
	s.ctx, s.trace, s.pace, s.first = ctx, fetchers.ContextTrace(ctx), fetchers.ContextPace(ctx), true
	if s.trace.Is(s.heard) {
		return
	}
	s.heard, s.tap = s.trace, nil
	if s.trace.Tapped() {
		s.tap = s.trace.Tap("tcp", s.key.addr)
	}
}

// Unbind makes s obey no context.
func (s *session) Unbind() {
	s.ctx, s.trace, s.pace = context.Background(), fetchers.Tracer{}, nil
}

// Quiet reports whether the link is usable. Earlier packets on it cannot be confused with the
// answer to another request.
func (s *session) Quiet() bool { return s.link.failed() == nil }

// InStep is Quiet.
func (s *session) InStep() bool { return s.Quiet() }

// Ping requests the name of the home directory.
func (s *session) Ping() bool {
	_, err := s.ask(newPacket(fxRealpath, 0).text("."), `REALPATH "."`)
	var refused *fetchers.StatusError
	return err == nil || errors.As(err, &refused)
}

// Quit does nothing: closing the connection is sufficient.
func (s *session) Quit() {}

// Close removes the session from the link. The last session closes it.
func (s *session) Close() error {
	s.gone.Do(func() {
		close(s.left)
		s.link.abandon(s)
		s.f.links.leave(s.key, s.link)
	})
	return nil
}

// RemoteAddr returns the address of the server.
func (s *session) RemoteAddr() net.Addr { return s.link.peer.remote }

// LocalAddr returns the address of this end.
func (s *session) LocalAddr() net.Addr { return s.link.peer.local }

// TLS returns nil: SSH is not TLS.
func (s *session) TLS() *tls.ConnectionState { return nil }

// send sends a request. The Trace gets shown.
func (s *session) send(p packet, want int, shown string) *call {
	if shown != "" {
		s.trace.Sent(shown)
	}
	c, sent := s.link.send(s, p, want)
	if s.tap != nil {
		s.tap.Sent(sent)
	}
	return c
}

// forget sends a request and ignores the answer.
func (s *session) forget(p packet) {
	_, sent := s.link.send(nil, p, 0)
	if s.tap != nil {
		s.tap.Sent(sent)
	}
}

// ask sends a request before there is a body, and waits for the answer.
func (s *session) ask(p packet, shown string) (answer, error) {
	return s.wait(s.send(p, 0, shown), s.f.Network.ResponseLimit())
}

// wait waits for the answer to a call, at most for limit unless that is 0. A STATUS other than OK
// is an error.
func (s *session) wait(c *call, limit time.Duration) (answer, error) {
	var a answer
	select {
	case a = <-c.answer:
	default:
		var err error
		if a, err = s.await(c, limit); err != nil {
			return answer{}, err
		}
	}
	if s.first {
		s.first = false
		s.trace.GotFirstResponseByte()
	}
	if s.tap != nil {
		s.tap.Got(a.packet())
	}
	if a.kind == fxStatus {
		refused := status(&cursor{rest: a.body})
		if s.trace.Lines() {
			s.trace.Got(fmt.Sprintf("STATUS %d %s", refused.Code, refused.Text))
		}
		if refused.Code != statusOK {
			return answer{}, refused
		}
	}
	return a, nil
}

// stallFactor is how many times the Stall limit a request may wait for its answer while other requests
// on the link are answered.
const stallFactor = 10

// await waits for an answer that has not arrived yet.
func (s *session) await(c *call, limit time.Duration) (answer, error) {
	began, stall := time.Now(), s.f.Network.StallLimit()
	if limit <= 0 && stall > 0 {
		limit = stallFactor * stall
	}
	for {
		now := time.Now()
		next, cause := s.pace.Left(), func() error { return s.pace.Expired(now.Sub(began)) }
		if next < fetchers.Unpaced {
			next -= now.Sub(began)
		}
		if stall > 0 {
			life := time.Unix(0, s.link.life.Load())
			if life.Before(began) {
				life = began
			}
			if left := stall - now.Sub(life); left < next {
				next, cause = left, func() error { return s.stalled(began, stall) }
			}
		}
		if left := limit - now.Sub(began); limit > 0 && left < next {
			next, cause = left, func() error { return s.stalled(began, limit) }
		}
		if next <= 0 {
			return answer{}, cause()
		}
		timer := time.NewTimer(next)
		var a answer
		var err error
		came := false
		select {
		case a = <-c.answer:
			came = true
		case <-s.ctx.Done():
			err = s.ctx.Err()
		case <-s.left:
			err = errClosed
		case <-s.link.over:
			if err = s.ctx.Err(); err != nil {
				break
			}
			select {
			case a = <-c.answer: // it arrived before the end
				came = true
			default:
				err = s.link.failed()
			}
		case <-timer.C:
		}
		timer.Stop()
		switch {
		case came:
			return a, s.pace.Waited(time.Since(began), headLength+len(a.body))
		case err != nil:
			return answer{}, err
		}
	}
}

// stalled ends the link if no other call has been answered on it since a call began, or if nothing
// has arrived for limit. Received bytes alone are not enough: SSH has its own messages, an answer
// may be incomplete, and the answer to a CLOSE may belong to an earlier session.
func (s *session) stalled(began time.Time, limit time.Duration) error {
	err := silent(limit)
	if !s.link.answered(began) || time.Since(time.Unix(0, s.link.life.Load())) >= limit {
		s.link.fail(err)
	}
	return err
}

// packet returns the packet of an answer.
func (a answer) packet() []byte {
	p := newPacket(a.kind, a.id)
	if a.kind == fxData {
		p = p.number(uint32(len(a.body)))
	}
	return append(p, a.body...).sealed()
}

// stat requests the attributes of a path, or of an open file.
func (s *session) stat(p packet, shown string) (Attributes, error) {
	a, err := s.ask(p, shown)
	if err != nil {
		return Attributes{}, err
	}
	return s.attributes(p[4], a)
}

// attributes reads an answer to STAT or FSTAT.
func (s *session) attributes(asked byte, a answer) (Attributes, error) {
	if a.kind != fxAttrs {
		return Attributes{}, unexpected(asked, a.kind)
	}
	in := cursor{rest: a.body}
	attributes := in.attributes()
	if s.trace.Lines() {
		s.trace.Got(attributes.line())
	}
	return attributes, in.err(fxAttrs)
}

// line formats attributes for a Trace.
func (a Attributes) line() string {
	text := "ATTRS"
	if a.Size >= 0 {
		text += " size=" + strconv.FormatInt(a.Size, 10)
	}
	if a.Moded {
		text += " mode=" + a.Mode.String()
	}
	if !a.ModTime.IsZero() {
		text += " modified=" + a.ModTime.Format(time.RFC3339)
	}
	return text
}

// open opens a file or a directory, and returns its handle.
func (s *session) open(p packet, shown string) (string, error) {
	a, err := s.ask(p, shown)
	if err != nil {
		return "", err
	}
	if a.kind != fxHandle {
		return "", unexpected(p[4], a.kind)
	}
	in := cursor{rest: a.body}
	handle := in.text()
	if err := in.err(fxHandle); err != nil {
		return "", err
	}
	if s.trace.Lines() {
		s.trace.Got(fmt.Sprintf("HANDLE %x", handle))
	}
	return handle, nil
}

// judge returns the verdict on a session after a failure. After any answer the state of the link is
// known.
func judge(l *lease, _ error) transport.Verdict {
	if l.Session.link.failed() != nil {
		return transport.Stale
	}
	return transport.Refused
}
