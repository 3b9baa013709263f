package fetchers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// A resumer is the source of a Body that goes on by itself after a failure that
// may pass: it asks for what is missing, where the server sends it if need be, and
// takes it only from what is proven to be the same resource.
type resumer struct {
	client *Client
	ctx    context.Context
	way    // as it was asked in the end: after redirections, with its login
	have   Validator
	size   int64  // of the whole resource
	next   int64  // the place in the resource of the next byte
	end    int64  // the place after the last one that is wanted
	coding string // the Content-Encoding, which is part of what the bytes are
	begun  int64  // the place in the resource where the last request began
	failed error  // why the source came to its end too early

	attempts *attempts

	mu     sync.Mutex // guards what follows, since Close may come at any time
	src    io.ReadCloser
	cancel context.CancelFunc // ends what asks for the rest; nil before it is asked for
	closed bool
}

// resume makes the Body of res one that resumes, if res can be asked for in parts
// and has something to prove its identity by. Another one says that it may be begun again.
func (c *Client) resume(ctx context.Context, w way, res *Resource, attempts *attempts) {
	b, ok := res.Body.(*body)
	v := res.Validator
	switch {
	case c.Retry.Max == 0, w.req.Once, !ok, b.src == nil, w.req.Describe:
		return
	case res.Kind != Document, res.Refusal != nil, res.Size < 0, !v.Strong():
		b.src = &unresumed{b.src, attempts}
		return
	}
	r := &resumer{client: c, ctx: ctx, way: w, have: v, size: res.Size, coding: res.Header.Get("Content-Encoding"), next: res.Range.Offset, begun: res.Range.Offset, end: res.Size, attempts: attempts, src: b.src}
	if res.Range.Length > 0 {
		r.end = res.Range.Offset + res.Range.Length
	}
	r.req.URL = res.URL
	b.src = r
}

// Rest returns a copy of req for a range of a resource of which the caller has other bytes, in
// the state have. A refusal is an error, whatever NoFail says: its body is no other state of
// the resource.
func (req *Request) Rest(r Range, have Validator) *Request {
	rest := *req
	rest.Range, rest.Have, rest.NoFail, rest.NoFollow = r, have, false, false
	return &rest
}

// Strong reports whether v tells the bytes of one state from those of another. A
// weak entity tag does not (RFC 9110, section 8.8.1), nor does a vague time, nor an
// ETag with a control character, which cannot be sent back.
func (v Validator) Strong() bool {
	if v.ETag != "" {
		control := func(r rune) bool { return r < ' ' || r == 0x7F }
		return !isWeak(v.ETag) && !strings.ContainsFunc(v.ETag, control)
	}
	return !v.ModTime.IsZero() && !v.Vague
}

// Same reports whether v and w are of one state. Where there is a tag it alone counts:
// the answer with a part of a resource need not say when that was modified (RFC 9110,
// section 15.3.7), and servers that share a tag need not have the same time.
func (v Validator) Same(w Validator) bool {
	if v.ETag != "" || w.ETag != "" {
		return v.ETag == w.ETag
	}
	return v.ModTime.Equal(w.ModTime)
}

func isWeak(etag string) bool { return len(etag) > 1 && etag[:2] == "W/" }

func (r *resumer) Read(p []byte) (int, error) {
	for {
		if r.failed != nil {
			if err := r.reopen(); err != nil {
				return 0, err
			}
			r.failed = nil
		}
		left := r.end - r.next
		if int64(len(p)) > left {
			p = p[:left+1]
		}
		n, err := r.src.Read(p)
		if int64(n) > left {
			return 0, fmt.Errorf("%w: more than the %d bytes there are", ErrProtocol, r.end)
		}
		r.next += int64(n)
		if err == io.EOF && r.next < r.end {
			err = io.ErrUnexpectedEOF
		}
		switch {
		case err == nil || err == io.EOF || r.next >= r.end:
			return n, err
		case !mayPass(err):
			return n, r.attempts.ended(err)
		}
		r.failed = err
		if n > 0 {
			return n, nil
		}
	}
}

// Lend is that of the source, if it is a Lender.
func (r *resumer) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	l, ok := r.src.(Lender)
	if !ok || r.failed != nil {
		return 0
	}
	n := l.Lend(min(most, r.end-r.next), use)
	r.next += n
	return n
}

// mayPass reports whether a Body that ended in err might be read to its end after
// another request.
func mayPass(err error) bool {
	return errors.Is(err, ErrTemporary) || errors.Is(err, ErrStalled) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) || isAlert(err)
}

// ConcernsRest reports whether a failed range request says nothing about the whole resource:
// the server does not support ranges properly, or it refused with a status that has no
// class or is errors.ErrUnsupported.
func ConcernsRest(err error) bool {
	var refused *StatusError
	return errors.Is(err, ErrRange) || errors.Is(err, ErrChanged) || errors.Is(err, ErrProtocol) ||
		errors.As(err, &refused) && (refused.Class == nil || errors.Is(refused.Class, errors.ErrUnsupported))
}

// restart returns err as that of a Body that may be begun again, since the server answered
// the request for the rest with something else.
func (r *resumer) restart(err error) error {
	r.attempts.unmet = true
	return &RestartError{err, r.attempts}
}

// reopen asks for the rest, as often as the Retry allows.
func (r *resumer) reopen() error {
	r.src.Close()
	if !r.cancellable() {
		return context.Canceled
	}
	r.attempts.received(r.next-r.begun, r.size)
	r.begun = r.next
	for {
		// Whatever the failure was, it may pass.
		wait, again := r.attempts.again(Temporary(r.failed))
		if !again {
			return r.attempts.err(r.failed)
		}
		ContextTrace(r.ctx).Retry(r.attempts.failed, wait, r.failed)
		if err := sleep(r.ctx, wait); err != nil {
			return err
		}

		rest := way{*r.req.Rest(Range{Offset: r.next, Length: r.end - r.next}, r.have), r.given, slices.Clip(r.via)}
		res, err := r.client.ask(r.ctx, &rest, newAttempts(Retry{}, nil)) // it is repeated here
		switch {
		case err != nil && mayPass(err):
			r.failed = err
			continue
		case ConcernsRest(err):
			return r.restart(fmt.Errorf("%w, and it could not be resumed: %w", r.failed, err))
		case err != nil:
			return fmt.Errorf("%w, and it could not be resumed: %w", r.failed, err)
		}
		if err := r.proven(res); err != nil {
			res.Close()
			return err
		}
		return r.use(res.Body)
	}
}

// cancellable makes the context end with the Body. It returns false if that has ended.
func (r *resumer) cancellable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil && !r.closed {
		r.ctx, r.cancel = context.WithCancel(r.ctx)
	}
	return !r.closed
}

// proven returns nil if res is the rest of the very resource that was begun.
func (r *resumer) proven(res *Resource) error {
	switch {
	case res.Kind == Redirect:
		return fmt.Errorf("%w, and it could not be resumed: %w: to %s", r.failed, ErrRedirect, res.Location.Redacted())
	case res.Kind != Document, res.Header.Get("Content-Encoding") != r.coding, res.Size >= 0 && res.Size != r.size, !res.Validator.Same(r.have):
		return r.restart(fmt.Errorf("%w after %d bytes of it had been read", ErrChanged, r.next))
	case res.Range.Offset != r.next, res.Range.Length == 0 && r.end < r.size:
		return r.restart(fmt.Errorf("%w, and the server does not send the rest", r.failed))
	}
	return nil
}

// use makes src the source from now on, unless the Body has been closed.
func (r *resumer) use(src io.ReadCloser) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		src.Close()
		return context.Canceled
	}
	r.src = src
	return nil
}

func (r *resumer) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.cancel != nil {
		r.cancel()
	}
	return r.src.Close()
}
