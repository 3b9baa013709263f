package wire

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serve plays the parts of the script in their order. It goes on to the next
// part when the client need do nothing more in this one.
func (p *Player) serve() {
	for _, part := range p.script.parts {
		p.setLine(part.line)
		accepted, err := p.listener.Accept()
		if err != nil {
			return // stopped
		}
		p.track(accepted)
		p.log("! connection")
		c := &conn{
			Conn:   accepted,
			socket: accepted.(*net.TCPConn),
			last:   part.line,
			gone:   make(chan struct{}),
		}
		rest, ok := p.play(c, part.steps)
		if !ok {
			return
		}
		p.conns = append(p.conns, c)
		if len(rest) > 0 && rest[0].op == stallControl {
			c.stall = rest[0].line
		}
		p.wg.Go(func() { p.finish(c, rest) })
	}
	close(p.played)

	accepted, err := p.listener.Accept()
	if err != nil {
		return
	}
	accepted.Close()
	p.log("! connection")
	p.differ(p.script.end, "want no more connections, got one")
}

// play plays the steps as far as the client has something to do in them. It
// returns the others: lines that the client may send, or a stall.
func (p *Player) play(c *conn, steps []step) (rest []step, ok bool) {
	for len(steps) > 0 {
		p.setLine(steps[0].line)
		if steps[0].op == stallControl || steps[0].op == maySend && !wantsMore(steps) {
			break
		}
		if steps, ok = p.step(c, steps); !ok {
			return nil, false
		}
	}
	return steps, true
}

// finish plays the remaining steps of play while the client keeps the connection open.
func (p *Player) finish(c *conn, steps []step) {
	defer close(c.gone)
	defer c.closeAll()
	for ok := true; len(steps) > 0; {
		if steps, ok = p.step(c, steps); !ok {
			return
		}
	}
	if !c.held {
		c.closeData()
	}
	for {
		got := c.take()
		switch {
		case len(got) > 0 && !c.deaf:
			p.log("C- " + escape(got))
			p.differ(c.last, "want nothing more, got %s", quote(got))
			return
		case len(got) > 0:
			p.log("C- " + escape(got))
		case c.err != nil:
			if !errors.Is(c.err, net.ErrClosed) {
				p.log("# the client closed")
			}
			return
		}
		c.fill(time.Time{})
	}
}

// step plays the first of the steps and returns the steps that follow. It reports false after a
// difference.
func (p *Player) step(c *conn, steps []step) (next []step, ok bool) {
	st, next := steps[0], steps[1:]
	c.last = st.line
	if !st.op.onData() && !c.held {
		c.closeData()
	}
	switch st.op {
	case mustSend, maySend:
		return p.receive(c, steps)
	case send:
		return next, p.send(c, st)
	case sendData, closeData, resetData, stallData:
		return next, p.data(c, st)
	case beginTLS:
		if err := c.secure(p.patience); err != nil {
			return nil, p.differ(st.line, "%v", err)
		}
		p.log(st.String())
		return next, true
	case closeControl:
		p.log(st.String())
		c.closeWrite()
		c.deaf = true
	case cutControl:
		p.log(st.String())
		c.socket.CloseWrite()
		c.deaf = true
	case resetControl:
		p.log(st.String())
		c.socket.SetLinger(0)
		c.socket.Close()
		c.deaf = true
	case stallControl:
		p.log(st.String())
		c.deaf = true
	}
	return nil, true
}

// receive wants the client to send the first of the steps, or to leave out
// optional ones and send one after them.
func (p *Player) receive(c *conn, steps []step) (next []step, ok bool) {
	var deadline time.Time // none if silence is fine
	if wantsMore(steps) {
		deadline = time.Now().Add(p.patience)
	}
	var wants []string
	var err error
	for len(steps) > 0 {
		st := steps[0]
		text := p.Expand(st.text)
		want := st.pattern(text)
		if err = c.expect(want, deadline); err == nil {
			st.text = text
			p.log(strings.Replace(st.String(), "C?", "C:", 1))
			return steps[1:], true
		}
		c.last = st.line
		wants = append(wants, want.String())
		if st.op == mustSend {
			break
		}
		steps = skip(steps)
	}
	if len(steps) == 0 {
		if err != errOther && len(c.buf) == 0 {
			return nil, true
		}
		wants = append(wants, "nothing")
	}
	var got string
	if err == errOther {
		got = quote(c.line())
		err = nil
	} else if len(c.buf) > 0 {
		got = quote(c.buf) + " and then "
	}
	if len(c.buf) > 0 {
		p.log("C- " + escape(c.buf))
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		got += fmt.Sprintf("nothing for %v", p.patience)
	case err != nil:
		got += "the end of the connection"
	}
	return nil, p.differ(c.last, "want %s, got %s", strings.Join(wants, " or "), got)
}

// send sends a step on the control connection.
func (p *Player) send(c *conn, st step) bool {
	st.text = p.Expand(st.text)
	if strings.Contains(st.text, "DATAPORT") || strings.Contains(st.text, "DATAPASV") {
		listener, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return p.differ(st.line, "no data listener: %v", err)
		}
		p.track(listener)
		c.closeData()
		c.listener = listener.(*net.TCPListener)
		n := port(listener)
		st.text = strings.NewReplacer(
			"DATAPORT", strconv.Itoa(n),
			"DATAPASV", fmt.Sprintf("127,0,0,1,%d,%d", n>>8, n&0xff),
		).Replace(st.text)
	}
	return p.write(c, st)
}

// data plays a step on the data connection, which it accepts if there is none.
func (p *Player) data(c *conn, st step) bool {
	if c.data == nil {
		if c.listener == nil {
			return p.differ(st.line, "%q, but no DATAPORT was sent for it", st)
		}
		c.listener.SetDeadline(time.Now().Add(p.patience))
		data, err := c.listener.AcceptTCP()
		if err != nil {
			return p.differ(st.line, "want a data connection, got none for %v", p.patience)
		}
		p.track(data)
		c.data, c.listener = data, nil
	}
	c.held = st.op == stallData
	if st.op == sendData {
		st.text = p.Expand(st.text)
		return p.write(c.data, st)
	}
	p.log(st.String())
	switch st.op {
	case closeData:
		c.closeData()
	case resetData:
		c.data.SetLinger(0)
		c.closeData()
	}
	return true
}

// write sends a step whose placeholders have been replaced. A client that has
// closed is no difference here; see the package comment.
func (p *Player) write(to net.Conn, st step) bool {
	once := st.bytes(st.text)
	if len(once) > 0 {
		const chunk = 32 << 10
		many := slices.Repeat(once, min(st.times, 1+chunk/len(once)))
		for left := st.times * len(once); left > 0; {
			to.SetWriteDeadline(time.Now().Add(p.patience))
			n, err := to.Write(many[:min(left, len(many))])
			left -= n
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return p.differ(st.line, "want the client to read, got nothing read for %v", p.patience)
			}
			if err != nil {
				p.log("# the client closed during: " + st.String())
				return true
			}
		}
	}
	p.log(st.String())
	return true
}

// wantsMore reports whether the client must do something in the steps.
func wantsMore(steps []step) bool {
	return slices.ContainsFunc(steps, func(st step) bool { return st.op == mustSend })
}

// skip returns the steps after the first, a C? line, and the answer to it.
func skip(steps []step) []step {
	steps = steps[1:]
	i := slices.IndexFunc(steps, func(st step) bool { return st.op.fromClient() })
	if i < 0 {
		return nil
	}
	return steps[i:]
}
