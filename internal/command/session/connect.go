package session

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// Connect opens the service of res at the terminal. It returns when the service or the user
// ends the session, and closes the connection. If the streams are no terminal, the error is
// a record.UsageError.
func Connect(ctx context.Context, f fetchers.Fetcher, o option.Session, s *term.Streams, res *fetchers.Resource) error {
	hint, err := open(ctx, f, o, res)
	if err != nil {
		return err
	}
	console, ok := s.Console()
	if !ok {
		return record.UsageError{Err: errors.New("--connect is for a terminal; in a script use --banner")}
	}
	conn, err := hint.Dial(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	s.Say("fetch: connected to %s; ^] leaves%s", hint.Addr, login(o, hint))
	err = converse(ctx, conn, console, term.Output(console.Out))
	io.WriteString(console.Out, "\n") // the cursor may be anywhere in a line
	s.Say("fetch: the connection to %s is closed", hint.Addr)
	return err
}

// login returns the login that a hint suggests, in words.
func login(o option.Session, hint *fetchers.SessionHint) string {
	switch login := hint.Login; {
	case login.User == "" && login.Password == "":
		return ""
	case o.ShowPassword && login.Password != "":
		return fmt.Sprintf("; log in as %q with the password %q", login.User, login.Password)
	default:
		return fmt.Sprintf("; log in as %q", login.User)
	}
}

// converse joins a terminal, whose screen is out, and a service. The terminal is raw
// meanwhile, and as it was afterwards, however the session ends.
func converse(ctx context.Context, conn io.ReadWriteCloser, console term.Console, out io.Writer) error {
	restore, err := console.Raw()
	if err != nil {
		return err
	}
	defer restore()
	if sized, ok := conn.(interface{ Resize(width, height int) error }); ok {
		tell := func() {
			if width, height, err := console.Size(); err == nil {
				sized.Resize(width, height) // a reader meets the failure of the connection
			}
		}
		tell()
		defer term.OnResize(tell)()
	}

	ended := make(chan error, 2)
	go func() {
		_, err := io.Copy(out, conn)
		ended <- err
	}()
	go func() { ended <- typing(conn, console.In, out) }() // its Read ends with the program
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// typing sends the keys of in until the escape, and shows on out those that the service
// does not echo.
func typing(conn io.ReadWriter, in io.Reader, out io.Writer) error {
	echoes := func() bool { return true }
	if c, ok := conn.(interface{ Echoes() bool }); ok {
		echoes = c.Echoes
	}
	var e lineEditor
	buf := make([]byte, 4096)
	for {
		n, err := in.Read(buf)
		if err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		send, echo, left := e.typed(buf[:n], echoes())
		if _, err := out.Write(echo); err != nil {
			return err
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
