package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// loginFlags say where logins come from, once a server asks for one.
type loginFlags struct {
	netrc    bool
	optional bool
	file     string
}

func (f *loginFlags) add(flags *pflag.FlagSet) {
	flags.BoolVarP(&f.netrc, "netrc", "n", false, "take logins from ~/.netrc, which must be there")
	flags.BoolVar(&f.optional, "netrc-optional", false, "take logins from ~/.netrc if it is there")
	flags.StringVar(&f.file, "netrc-file", "", "take logins from `FILE`")
}

// keychain returns what finds logins: the netrc file if it was asked for, then
// the person at the terminal.
func (f *loginFlags) keychain(a *app) (fetchers.Keychain, error) {
	chain := fetchers.Keychains{}
	if f.netrc || f.optional || f.file != "" {
		n, err := f.read(a)
		if err != nil {
			return nil, inputError{err}
		}
		if n != nil {
			chain = append(chain, n)
		}
	}
	if in, ok := a.stdin.(*os.File); ok && a.input != "-" && term.IsTerminal(int(in.Fd())) && terminal(a.stderr) {
		chain = append(chain, &prompt{a: a, in: in, answers: make(map[fetchers.Origin]fetchers.Credential)})
	}
	return chain, nil
}

// read returns the netrc, or nil if there is none and need not be one.
func (f *loginFlags) read(a *app) (*fetchers.Netrc, error) {
	name := f.file
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		name = filepath.Join(home, ".netrc")
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && f.optional && f.file == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		a.say("fetch: others may read %s", name)
	}
	n, err := fetchers.ReadNetrc(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// A prompt asks the person at the terminal, one thing at a time and once.
type prompt struct {
	a  *app
	in *os.File

	mu      sync.Mutex
	answers map[fetchers.Origin]fetchers.Credential
}

// Lookup returns what was said before, or asks.
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

// ask asks for what is not known yet. The password is not shown.
func (p *prompt) ask(ctx context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	if err := ctx.Err(); err != nil {
		return fetchers.Credential{}, err
	}
	c := fetchers.Credential{User: o.User, Source: "prompt"}
	at := visible(o.Host)
	if o.Realm != "" {
		at = visible(o.Realm) + " at " + at
	}
	state, err := term.GetState(int(p.in.Fd()))
	if err != nil {
		return c, err
	}
	answered := make(chan error, 1)
	go func() { answered <- p.read(&c, at) }()
	select {
	case err := <-answered:
		return c, err
	case <-ctx.Done(): // the reader stays behind, as the program is about to end
		term.Restore(int(p.in.Fd()), state)
		fmt.Fprintln(p.a.stderr)
		return fetchers.Credential{}, ctx.Err()
	}
}

// read asks for the name, if there is none, and for the password.
func (p *prompt) read(c *fetchers.Credential, at string) error {
	if c.User == "" {
		fmt.Fprintf(p.a.stderr, "user name for %s: ", at)
		if _, err := fmt.Fscanln(p.in, &c.User); err != nil {
			return fetchers.ErrLogin
		}
	}
	fmt.Fprintf(p.a.stderr, "password of %s for %s: ", visible(c.User), at)
	password, err := term.ReadPassword(int(p.in.Fd()))
	fmt.Fprintln(p.a.stderr)
	c.Password = string(password)
	return err
}
