package stack

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
)

// setSSH writes the flags and the files of the user's ssh into client. Files are read when a server
// is contacted. With publicOnly no server is reached through another one.
func setSSH(client *sftp.Fetcher, o option.SSH, publicOnly bool, s *term.Streams) {
	u := &sshUser{
		options: o, publicOnly: publicOnly, streams: s,
		hosts: make(map[[2]string]sftp.Host), keys: make(map[string]sftp.Key),
		known: make(map[string]*sftp.KnownHosts), warned: make(map[string]bool),
	}
	u.home, _ = os.UserHomeDir() // without a home directory there are no files
	if me, err := user.Current(); err == nil {
		_, name, windows := strings.Cut(me.Username, `\`)
		if u.name = me.Username; windows {
			u.name = name
		}
	}
	client.User = u.name
	client.KnownHosts = u.usualKnownHosts()
	client.Host = u.host
	if o.HostKey != "" {
		client.HostKey = "SHA256:" + strings.TrimRight(strings.TrimPrefix(o.HostKey, "SHA256:"), "=")
	}
	if agent := os.Getenv("SSH_AUTH_SOCK"); agent != "" {
		client.Agent = agentAt(agent)
	}
	if s.CanAsk() {
		client.Ask = u.ask
	}
}

// A sshUser has the settings of the user's ssh: files in ~/.ssh, and flags in place of them.
type sshUser struct {
	options    option.SSH
	publicOnly bool
	streams    *term.Streams
	home       string
	name       string

	mu     sync.Mutex
	hosts  map[[2]string]sftp.Host     // by host and user
	keys   map[string]sftp.Key         // by the name of the file
	known  map[string]*sftp.KnownHosts // by the names of the files
	warned map[string]bool             // by the text of the warning
}

// in returns the name of a file in ~/.ssh, or "" if there is no home directory.
func (u *sshUser) in(name string) string { return u.below(filepath.Join(".ssh", name)) }

// below returns the name of a file in the home directory. Without a home directory it is "", which
// names no file, and not a file in the working directory.
func (u *sshUser) below(name string) string {
	if u.home == "" {
		return ""
	}
	return filepath.Join(u.home, name)
}

// maxQuestion is how many columns of a server's text are shown.
const maxQuestion = 1024

// asked returns the text of a server as it stands in a question, behind the name of the server:
// blanks in the text cannot push the name out of sight.
func asked(words string) string {
	return term.Shortened(strings.Join(strings.Fields(words), " "), maxQuestion) + " "
}

// ask asks the person at the terminal. The text of a server stands behind its name.
func (u *sshUser) ask(ctx context.Context, q sftp.Question) (string, error) {
	text := q.Text
	if q.Server {
		text = q.User + " at " + q.Host + ": " + asked(q.Instruction+" "+q.Text)
	}
	answer, err := u.streams.Ask(ctx, text, !q.Echo)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", fetchers.ErrLogin, err)
	}
	return answer, err
}

// host returns the settings of the user for a host, and for a user if the URL names one.
func (u *sshUser) host(name, user string) (sftp.Host, error) {
	u.mu.Lock()
	h, ok := u.hosts[[2]string{name, user}]
	u.mu.Unlock()
	if ok {
		return h, nil
	}
	c, err := u.section(name, user)
	if err != nil {
		return sftp.Host{}, record.InputError{Err: err}
	}
	if u.publicOnly && len(c.host.Jump) > 0 {
		return sftp.Host{}, fmt.Errorf("%w: --public-only judges addresses, and behind a ProxyJump that of %s is not seen", fetchers.ErrBlocked, name)
	}
	for _, add := range []func() error{c.addKnown, c.addAgent, c.addKeys} {
		if err := add(); err != nil {
			return sftp.Host{}, record.InputError{Err: err}
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.hosts[[2]string{name, user}] = c.host
	return c.host, nil
}
