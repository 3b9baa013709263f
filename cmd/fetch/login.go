package main

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
	"strings"
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
	flags.BoolVarP(&f.netrc, "netrc", "n", false, "take logins from ~/.netrc or $NETRC, which must be there")
	flags.BoolVar(&f.optional, "netrc-optional", false, "take logins from that file if it is there")
	flags.StringVar(&f.file, "netrc-file", "", "take logins from `FILE`")
}

// keychain returns what finds logins: the netrc file if it was asked for, then
// the person at the terminal.
func (f *loginFlags) keychain(ctx context.Context, a *app) (fetchers.Keychain, error) {
	chain := fetchers.Keychains{}
	if f.netrc || f.optional || f.file != "" {
		n, err := opened(ctx, f.read)
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
func (f *loginFlags) read() (*fetchers.Netrc, error) {
	name, err := f.name()
	if err != nil {
		return nil, err
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) && f.optional {
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
	if n.Secret() {
		if err := private(file); err != nil {
			return nil, err
		}
	}
	n.Name = tilde(name)
	return n, nil
}

// name returns which file is the netrc: that of --netrc-file, of $NETRC, or ~/.netrc.
func (f *loginFlags) name() (string, error) {
	if name := cmp.Or(f.file, os.Getenv("NETRC")); name != "" {
		return name, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	name := filepath.Join(home, ".netrc")
	if runtime.GOOS == "windows" {
		if _, err := os.Stat(name); err != nil {
			name = filepath.Join(home, "_netrc") // as other programs have it there
		}
	}
	return name, nil
}

// private returns an error if others may read a file that holds passwords.
func private(file *os.File) error {
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
		err = fmt.Errorf("%s holds passwords, and others may read it (mode %04o): chmod 600 it", file.Name(), info.Mode().Perm())
	}
	return err
}

// tilde is the name of a file in short.
func tilde(name string) string {
	if home, err := os.UserHomeDir(); err == nil {
		if rest, ok := strings.CutPrefix(name, home+string(filepath.Separator)); ok {
			return "~" + string(filepath.Separator) + rest
		}
	}
	return name
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
	if o.Redirected { // the port may be another one than the user expects
		at = net.JoinHostPort(o.Host, o.Port)
	}
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
