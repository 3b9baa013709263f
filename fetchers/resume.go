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

// A resumer is the source of a Body that is resumed after a temporary failure: it requests the
// missing bytes, follows redirections, and accepts the bytes only if they are proven to be of the
// same version of the resource.
type resumer struct {
	client *Client
	ctx    context.Context
	way    // the last request: after redirections, with its login
	have   Validator
	size   int64  // of the whole resource
	next   int64  // offset of the next byte in the resource
	end    int64  // offset after the last requested byte
	coding string // Content-Encoding, which must stay the same
	begun  int64  // offset at which the last request began
	failed error  // error that ended the source too early

	attempts *attempts

	mu     sync.Mutex // guards the following fields, since Close may be called concurrently
	src    io.ReadCloser
	cancel context.CancelFunc // cancels the requests for the rest; nil before the first
	closed bool
}

// resume makes the Body of res a resumer, if res supports ranges and has a strong validator. For
// another Body, a temporary failure becomes a RestartError.
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

// Rest returns a copy of req for the range r of a resource, of which the caller has other bytes of
// the version have. A refusal is an error, whatever NoFail is: its body is no version of the
// resource.
func (req *Request) Rest(r Range, have Validator) *Request {
	rest := *req
	rest.Range, rest.Have, rest.NoFail, rest.NoFollow = r, have, false, false
	return &rest
}

// Strong reports whether v distinguishes versions byte by byte. A weak entity tag does not (RFC
// 9110, section 8.8.1), nor does a vague time, nor an ETag with a control character, which cannot
// be sent back.
func (v Validator) Strong() bool {
	if v.ETag != "" {
		control := func(r rune) bool { return r < ' ' || r == 0x7F }
		return !isWeak(v.ETag) && !strings.ContainsFunc(v.ETag, control)
	}
	return !v.ModTime.IsZero() && !v.Vague
}

// Same reports whether v and w are of one version. If either has a tag, only tags count: a response
// with a range need not contain the modification time (RFC 9110, section 15.3.7), and replicas that
// share a tag may have different times.
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
			return 0, fmt.Errorf("%w: more than the announced %d bytes", ErrProtocol, r.end)
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

// Lend calls that of the source, if it is a Lender.
func (r *resumer) Lend(most int64, use func(from *os.File, n int64) int64) int64 {
	l, ok := r.src.(Lender)
	if !ok || r.failed != nil {
		return 0
	}
	n := l.Lend(min(most, r.end-r.next), use)
	r.next += n
	return n
}

// mayPass reports whether another request might complete a Body that ended with err.
func mayPass(err error) bool {
	return errors.Is(err, ErrTemporary) || errors.Is(err, ErrStalled) || errors.Is(err, io.ErrUnexpectedEOF) || isReset(err) || isAlert(err)
}

// ConcernsRest reports whether the failure of a range request leaves open whether the whole
// resource can be fetched: the server does not support ranges properly, or its refusal has no class
// or errors.ErrUnsupported.
func ConcernsRest(err error) bool {
	var refused *StatusError
	return errors.Is(err, ErrRange) || errors.Is(err, ErrChanged) || errors.Is(err, ErrProtocol) ||
		errors.As(err, &refused) && (refused.Class == nil || errors.Is(refused.Class, errors.ErrUnsupported))
}

// restart returns err as a RestartError, since the server answered the request for the rest with
// something else.
func (r *resumer) restart(err error) error {
	r.attempts.unmet = true
	return &RestartError{err, r.attempts}
}

// reopen requests the rest, as often as the Retry allows.
func (r *resumer) reopen() error {
	r.src.Close()
	if !r.cancellable() {
		return context.Canceled
	}
	r.attempts.received(r.next-r.begun, r.size)
	r.begun = r.next
	for {
		// Any failure may be temporary here.
		wait, again := r.attempts.again(Temporary(r.failed))
		if !again {
			return r.attempts.err(r.failed)
		}
		ContextTrace(r.ctx).Retry(r.attempts.failed, wait, r.failed)
		if err := sleep(r.ctx, wait); err != nil {
			return err
		}

		rest := way{*r.req.Rest(Range{Offset: r.next, Length: r.end - r.next}, r.have), r.given, slices.Clip(r.via)}
		res, err := r.client.ask(r.ctx, &rest, newAttempts(Retry{}, nil)) // this loop repeats it
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

// cancellable makes the context end with the Body. It returns false if the Body was closed.
func (r *resumer) cancellable() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil && !r.closed {
		r.ctx, r.cancel = context.WithCancel(r.ctx)
	}
	return !r.closed
}

// proven returns nil if res is the rest of the same version of the resource.
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

// use makes src the source, unless the Body was closed.
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
