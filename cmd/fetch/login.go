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
	if a.person() != nil {
		chain = append(chain, &prompt{a: a, answers: make(map[fetchers.Origin]fetchers.Credential)})
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
	a *app

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

// ask asks for what is not known yet: the name, and the password, which is not shown.
func (p *prompt) ask(ctx context.Context, o fetchers.Origin) (fetchers.Credential, error) {
	c := fetchers.Credential{User: o.User, Source: "prompt"}
	at := o.Host
	if o.Realm != "" {
		at = o.Realm + " at " + at
	}
	var err error
	if c.User == "" {
		c.User, err = p.a.question(ctx, "user name for "+at+": ", false)
		if ctx.Err() == nil && (err != nil || c.User == "") {
			err = fetchers.ErrLogin
		}
	}
	if err == nil {
		c.Password, err = p.a.question(ctx, "password of "+c.User+" for "+at+": ", true)
	}
	return c, err
}
