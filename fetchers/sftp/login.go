package sftp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"golang.org/x/crypto/ssh"

	"github.com/seed1ea3422f/fetch/fetchers"
)

const (
	byKey      = "publickey"
	byPassword = "password"
	byAnswers  = "keyboard-interactive"
)

// maxQuestions limits the questions that a server may ask at once.
const maxQuestions = 16

// A login is a handshake with a server: the check of its key, and the authentication of the user.
type login struct {
	f     *Fetcher
	ctx   context.Context
	hop   hop
	watch *watch
	trace fetchers.Tracer

	stage   int      // methods that have succeeded but were not sufficient
	tried   []string // in this stage
	keys    int      // number of offered keys
	release func()   // disconnects from the agent
	began   bool     // the server has listed its methods
	told    bool     // it has received the password
	locked  error    // the error of an encrypted key that the server would accept; nil if there is none

	doubtful bool // the key of the server has changed: it gets no password

	mu  sync.Mutex
	err error // the reason if the client ends the handshake
}

// fails stores the reason why the handshake fails.
func (g *login) fails(err error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.err == nil {
		g.err = err
	}
	return err
}

// cause returns the reason why the client has ended the connection, or nil.
func (g *login) cause() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.err
}

// banner passes the banner of the server to a Trace.
func (g *login) banner(text string) error {
	for line := range strings.Lines(text) {
		g.trace.Got(strings.TrimRight(line, "\r\n"))
	}
	return nil
}

// next returns the next authentication method.
func (g *login) next(c *ssh.ClientAuthContext) (ssh.AuthMethod, error) {
	if !g.began {
		g.began = true
		g.trace.Got(string(c.Metadata.ServerVersion()))
	}
	if done := len(c.PartialSuccessMethods); done != g.stage {
		g.stage, g.tried = done, nil
	}
	may := func(method string) bool {
		return slices.Contains(c.AllowedMethods, method) && !slices.Contains(g.tried, method)
	}
	try := func(method string, with ssh.AuthMethod) (ssh.AuthMethod, error) {
		g.tried = append(g.tried, method)
		return with, nil
	}
	if may(byKey) && g.hop.trusted {
		if g.release == nil {
			signers, release := g.signers(g.watch.alive)
			g.keys, g.release = len(signers), release
			if len(signers) > 0 {
				return try(byKey, ssh.PublicKeys(signers...))
			}
		}
	}
	if g.told {
		return nil, g.fails(g.refusal(c.AllowedMethods))
	}
	switch can := !g.doubtful && (g.hop.given || g.hop.jump && g.f.Ask != nil); {
	case may(byPassword) && can:
		return try(byPassword, ssh.PasswordCallback(g.password))
	case may(byAnswers) && can:
		return try(byAnswers, ssh.KeyboardInteractive(g.answer))
	}
	return nil, g.fails(g.refusal(c.AllowedMethods))
}

// password returns the password of the Request. For a jump host it asks the user.
func (g *login) password() (string, error) {
	g.told = true
	if g.hop.given {
		return g.hop.password, nil
	}
	return g.ask(Question{Text: fmt.Sprintf("password of %s for %s: ", g.hop.user, g.hop.name())})
}

// answer answers questions of a server: the first secret one with the password, and all others by
// asking the user.
func (g *login) answer(_, instruction string, questions []string, echo []bool) ([]string, error) {
	if len(questions) > maxQuestions {
		return nil, g.fails(fmt.Errorf("%w: %d questions at once", fetchers.ErrProtocol, len(questions)))
	}
	answers := make([]string, len(questions))
	for i, text := range questions {
		var err error
		if !echo[i] && g.hop.given && !g.told {
			g.told, answers[i] = true, g.hop.password
			continue
		}
		g.told = true
		if answers[i], err = g.ask(Question{Instruction: instruction, Text: text, Echo: echo[i], Server: true}); err != nil {
			return nil, g.fails(err)
		}
	}
	return answers, nil
}

// ask asks the user. The timeouts of the server are paused meanwhile.
func (g *login) ask(q Question) (string, error) {
	if g.f.Ask == nil {
		return "", fmt.Errorf("%w: no user to ask: %.300s", fetchers.ErrLogin, strings.TrimRight(q.Text, ": "))
	}
	q.User, q.Host = g.hop.user, g.hop.name()
	defer g.watch.pause()()
	return g.f.Ask(g.ctx, q)
}

// refusal returns the error for a refused login. It is an ErrLogin only if the server accepts
// passwords.
func (g *login) refusal(allowed []string) error {
	e := &fetchers.StatusError{Class: fs.ErrPermission}
	if slices.Contains(allowed, byPassword) || slices.Contains(allowed, byAnswers) {
		e.Class = fetchers.ErrLogin
	}
	var proofs []string
	switch {
	case g.keys == 1:
		proofs = append(proofs, "the key")
	case g.keys > 1:
		proofs = append(proofs, fmt.Sprintf("the %d keys", g.keys))
	}
	if g.told {
		proofs = append(proofs, "the password")
	}
	e.Text = "the server does not let in " + g.hop.user
	if len(proofs) > 0 {
		e.Text += " by " + strings.Join(proofs, " and ")
	}
	if len(allowed) > 0 {
		e.Text += "; it takes " + strings.Join(allowed, ", ")
	}
	if g.doubtful {
		e.Text += "; its key has changed, so it gets no password"
		e.Class = fs.ErrPermission
	}
	if g.locked != nil {
		e.Text += "; " + g.locked.Error()
	}
	return e
}

// failure returns the error for a handshake that has failed with err.
func (g *login) failure(err error) error {
	if cause := g.watch.cause(); cause != nil {
		return cause
	}
	if cause := g.cause(); cause != nil {
		return cause
	}
	var none *ssh.AlgorithmNegotiationError
	text := strings.TrimPrefix(err.Error(), "ssh: handshake failed: ")
	switch {
	case errors.As(err, &none):
		return fetchers.TLS(errors.New(text))
	case errors.Is(err, io.EOF):
		return ended(io.EOF)
	case errors.Is(err, fetchers.ErrTemporary): // a reset
		return errors.Unwrap(err)
	case g.began: // "ssh: disconnect, reason 2: Too many authentication failures"
		return &fetchers.StatusError{Reply: fetchers.Reply{Text: "the login as " + g.hop.user + " failed: " + text}, Class: fetchers.ErrLogin}
	}
	return fmt.Errorf("%w: %s", fetchers.ErrProtocol, text)
}
