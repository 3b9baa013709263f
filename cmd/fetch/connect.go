package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// escape is the key that leaves a session: ^].
const escape = 0x1D

// connect opens the service of res at the terminal, and returns when either side
// has ended it.
func (a *app) connect(ctx context.Context, res *fetchers.Resource) error {
	hint, err := a.opened(ctx, res)
	if err != nil {
		return err
	}
	in, ok := a.stdin.(*os.File)
	out, both := a.stdout.(*os.File)
	if !ok || !both || !term.IsTerminal(int(in.Fd())) || !term.IsTerminal(int(out.Fd())) {
		return usageError{errors.New("--connect is for a terminal; in a script use --banner")}
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	a.say("fetch: connected to %s; ^] leaves%s", hint.Addr, a.suggested(hint))
	err = a.converse(ctx, conn, in, out)
	io.WriteString(out, "\n") // wherever the cursor was left
	a.say("fetch: the connection to %s is closed", hint.Addr)
	return err
}

// suggested is the login that a URL suggests, in words.
func (a *app) suggested(hint *fetchers.SessionHint) string {
	switch login := hint.Login; {
	case login.User == "" && login.Password == "":
		return ""
	case a.session.show && login.Password != "":
		return fmt.Sprintf("; log in as %q with the password %q", login.User, login.Password)
	default:
		return fmt.Sprintf("; log in as %q", login.User)
	}
}

// converse joins a terminal and a service. The terminal is raw meanwhile, and as
// it was afterwards, however this ends.
func (a *app) converse(ctx context.Context, conn io.ReadWriteCloser, in, out *os.File) error {
	before, err := term.MakeRaw(int(in.Fd()))
	if err != nil {
		return err
	}
	defer term.Restore(int(in.Fd()), before)

	if sized, ok := conn.(interface{ Resize(width, height int) error }); ok {
		tell := func() {
			if width, height, err := term.GetSize(int(out.Fd())); err == nil {
				sized.Resize(width, height) // what is wrong with the connection is for its readers
			}
		}
		tell()
		defer onResize(tell)()
	}

	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(sink{out}, conn)
		ended <- err
	}()
	go func() { ended <- typing(conn, in, out) }() // its Read ends with the program
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// typing sends what is typed until the escape.
func typing(conn io.ReadWriter, in io.Reader, out io.Writer) error {
	echoes := func() bool { return true }
	if c, ok := conn.(interface{ Echoes() bool }); ok {
		echoes = c.Echoes
	}
	var k keyboard
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		send, echo, left := k.typed(buf[:n], echoes())
		if _, err := out.Write(echo); err != nil {
			return writeError{err}
		}
		if len(send) > 0 {
			if _, err := conn.Write(send); err != nil {
				return err
			}
		}
		if left {
			return nil
		}
	}
}

// A keyboard turns what is typed into what is sent. To a service that echoes
// every key is sent as it comes. To one that does not, lines are sent, which are
// shown and can be corrected before: that is the terminal of RFC 854.
type keyboard struct{ line []byte }

// maxTyped bounds a line that is not sent yet. Terminals have the same limit.
const maxTyped = 4096

// typed returns what is to be sent and to be shown, and whether the escape was
// among it.
func (k *keyboard) typed(p []byte, echoed bool) (send, echo []byte, left bool) {
	for _, c := range p {
		switch {
		case c == escape:
			return send, echo, true
		case echoed:
			send = append(append(send, k.line...), c)
			k.line = k.line[:0]
		case c == '\r' || c == '\n':
			send = append(append(send, k.line...), "\r\n"...)
			echo = append(echo, "\r\n"...)
			k.line = k.line[:0]
		case c == 0x7F || c == '\b':
			if n := len(k.line); n > 0 {
				for n--; n > 0 && k.line[n]&0xC0 == 0x80; n-- { // the rest of a character in UTF-8
				}
				k.line = k.line[:n]
				echo = append(echo, "\b \b"...)
			}
		case c < ' ' && c != '\t':
			send = append(append(send, k.line...), c)
			k.line = k.line[:0]
		case len(k.line) < maxTyped:
			k.line = append(k.line, c)
			echo = append(echo, c)
		default:
			echo = append(echo, '\a')
		}
	}
	return send, echo, false
}
