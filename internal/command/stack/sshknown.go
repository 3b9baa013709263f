package stack

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// addKnown gives the host its files of known hosts, and the rule about unknown servers. The flags
// of the command replace both.
func (c *sshSection) addKnown() error {
	u := c.u
	var user []string
	files := make([]string, 0, 4)
	if u.options.KnownHosts != "" {
		user = []string{u.options.KnownHosts}
		files = append(files, user...)
	} else {
		var err error
		if user, err = c.knownFiles("UserKnownHostsFile", u.in("known_hosts"), u.in("known_hosts2")); err != nil {
			return err
		}
		global, err := c.knownFiles("GlobalKnownHostsFile", filepath.Join(globalSSH, "ssh_known_hosts"), filepath.Join(globalSSH, "ssh_known_hosts2"))
		if err != nil {
			return err
		}
		files = append(append(files, user...), global...)
	}
	c.host.KnownHosts = u.knownHosts(files)
	if err := c.host.KnownHosts.Load(); err != nil {
		return err
	}
	acceptNew := func(unknown *sftp.HostKeyError, line string) error {
		if len(user) == 0 { // UserKnownHostsFile none, and the flag
			return nil
		}
		return u.acceptNew(user[0], unknown, line)
	}
	value := strings.ToLower(c.First("StrictHostKeyChecking"))
	switch value {
	case "", "ask", "yes", "true", "accept-new", "no", "off", "false":
	default:
		return c.bad("StrictHostKeyChecking", value)
	}
	if u.options.AcceptNew {
		c.host.AcceptNew = acceptNew
		return nil
	}
	if lax := value == "no" || value == "off" || value == "false"; lax || value == "accept-new" {
		if len(user) > 0 { // ssh refuses a new server that it cannot remember
			c.host.AcceptNew = acceptNew
		}
		if lax {
			c.host.AcceptChanged = u.changed
		}
	}
	return nil
}

// knownFiles returns the files that a keyword names, or the default ones.
func (c *sshSection) knownFiles(keyword string, usual ...string) ([]string, error) {
	words := c.Words(keyword)
	switch {
	case len(words) == 0:
		return usual, nil
	case len(words) == 1 && none(words[0]):
		return nil, nil
	}
	var files []string
	for _, word := range words {
		file, err := c.path(keyword, word)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

// knownHosts returns the known hosts of files, which are read once.
func (u *sshUser) knownHosts(files []string) *sftp.KnownHosts {
	u.mu.Lock()
	defer u.mu.Unlock()
	name := strings.Join(files, "\x00")
	if u.known[name] == nil {
		u.known[name] = sftp.NewKnownHosts(files...)
	}
	return u.known[name]
}

// acceptNew adds the key of a server to a file. Another run may have added it before, with the same
// key or with another one.
func (u *sshUser) acceptNew(name string, unknown *sftp.HostKeyError, line string) error {
	if name == "" {
		return errors.New("there is no home directory with a file of known hosts: name one by --knownhosts")
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := filelock.Lock(file, true); err != nil {
		return err
	}
	switch added, err := hasLine(file, line); {
	case err != nil:
		return err
	case added == line:
		return nil
	case added != "":
		unknown.Known = "another one, which was added to " + option.Tilde(name) + " meanwhile"
		return unknown
	}
	if size, err := file.Seek(0, io.SeekEnd); err == nil && size > 0 { // the last line may have no end
		last := make([]byte, 1)
		if _, err := file.ReadAt(last, size-1); err == nil && last[0] != '\n' {
			line = "\n" + line
		}
	}
	if _, err := file.WriteString(line + "\n"); err != nil {
		return err
	}
	u.streams.Remark("the key of %s, %s %s, is added to %s", unknown.Host, unknown.Type, unknown.Fingerprint, option.Tilde(name))
	return file.Close()
}

// hasLine returns line if a file of known hosts has it, or else another line of its host. It is ""
// if there is none.
func hasLine(file io.Reader, line string) (found string, err error) {
	host, _, _ := strings.Cut(line, " ")
	in := bufio.NewScanner(file)
	for in.Scan() {
		if in.Text() == line {
			return line, nil
		}
		if at, _, _ := strings.Cut(in.Text(), " "); at == host {
			found = in.Text()
		}
	}
	return found, in.Err()
}

// changed warns of a server whose key has changed, once, and trusts it.
func (u *sshUser) changed(e *sftp.HostKeyError) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if text := e.Error(); !u.warned[text] {
		u.warned[text] = true
		u.streams.Say("fetch: warning: %s; StrictHostKeyChecking is no, so it is asked all the same, and gets no password", text)
	}
	return nil
}

// usualKnownHosts returns the known hosts for servers that the user did not name, and for which the
// configuration has no files.
func (u *sshUser) usualKnownHosts() *sftp.KnownHosts {
	if u.options.KnownHosts != "" {
		return u.knownHosts([]string{u.options.KnownHosts})
	}
	return u.knownHosts([]string{
		u.in("known_hosts"), u.in("known_hosts2"),
		filepath.Join(globalSSH, "ssh_known_hosts"), filepath.Join(globalSSH, "ssh_known_hosts2"),
	})
}
