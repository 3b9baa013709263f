package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// keychain returns the Keychain of a run: the netrc if a flag asks for it, then the person
// at the terminal if there is one.
func keychain(ctx context.Context, o option.Logins, s *term.Streams) (fetchers.Keychain, error) {
	chain := fetchers.Keychains{}
	if o.Netrc || o.NetrcOptional || o.NetrcFile != "" {
		n, err := pipe.Open(ctx, func() (*fetchers.Netrc, error) { return readNetrc(o) })
		if err != nil {
			return nil, record.InputError{Err: err}
		}
		if n != nil {
			chain = append(chain, n)
		}
	}
	if s.CanAsk() {
		chain = append(chain, &prompt{streams: s, answers: make(map[fetchers.Origin]fetchers.Credential)})
	}
	return chain, nil
}

// readNetrc returns the netrc, or nil if it is optional and does not exist.
func readNetrc(o option.Logins) (*fetchers.Netrc, error) {
	name, err := netrcName(o.NetrcFile)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && o.NetrcOptional {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	n, err := fetchers.ReadNetrc(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n.Rename(hostOf)
	if n.Secret() {
		if err := option.CheckPrivate(file, "holds passwords"); err != nil {
			return nil, err
		}
	}
	n.Name = option.Tilde(name)
	return n, nil
}

// netrcName returns the name of the netrc: that of --netrc-file, of $NETRC, or ~/.netrc.
func netrcName(given string) (string, error) {
	if name := cmp.Or(given, os.Getenv("NETRC")); name != "" {
		return name, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	name := filepath.Join(home, ".netrc")
	if runtime.GOOS == "windows" {
		if _, err := os.Stat(name); err != nil {
			name = filepath.Join(home, "_netrc") // the name that other programs use there
		}
	}
	return name, nil
}

// A prompt asks the person at the terminal for logins, one at a time and once for each
// origin.
type prompt struct {
	streams *term.Streams

	mu      sync.Mutex
	answers map[fetchers.Origin]fetchers.Credential
}

// Lookup returns the earlier answer for the origin, or asks the person.
func (p *prompt) Lookup(ctx context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.answers[o]; ok {
		return c, nil
	}
	c, err := p.ask(ctx, o)
	if err == nil {
		p.answers[o] = c
	}
	return c, err
}

// ask asks for the name, unless it is known, and for the password, which is not shown.
func (p *prompt) ask(ctx context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	c := fetchers.Credential{User: o.User, Source: "prompt"}
	at := o.Host
	if o.Redirected { // the port may be another one than the user expects
		at = net.JoinHostPort(o.Host, o.Port)
	}
	if o.Realm != "" {
		at = o.Realm + " at " + at
	}
	var err error
	if c.User == "" {
		c.User, err = p.streams.Ask(ctx, "user name for "+at+": ", false)
		if ctx.Err() == nil && (err != nil || c.User == "") {
			err = fetchers.ErrLogin
		}
	}
	if err == nil {
		c.Password, err = p.streams.Ask(ctx, "password of "+c.User+" for "+at+": ", true)
	}
	return c, err
}
