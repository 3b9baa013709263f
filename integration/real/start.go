package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

const (
	poll  = 20 * time.Millisecond
	limit = 10 * time.Second // until a server answers; the slowest need one
)

// start starts s and waits until it answers. On an error nothing of s is left
// running. What it starts is recorded before it is waited for, so that down
// finds it even if we are interrupted.
func start(dir string, s servers.Server, st state) error {
	if !supported {
		return errors.New("real servers are started on Linux only; use docker-compose.test.yml")
	}
	r, ok := recipes[s.Name]
	if !ok {
		return errors.New("has no recipe")
	}
	if r.users && os.Getuid() != 0 {
		return errors.New("needs root, for users of its own in a mount namespace")
	}
	if err := st[s.Name].stop(); err != nil { // children that outlived it
		return err
	}
	if err := vacant(s); err != nil {
		return err
	}
	program, libraries, err := locate(r)
	if err != nil {
		return err
	}
	cmd, err := command(dir, s, r, program)
	if err != nil {
		return err
	}
	if libraries != "" {
		cmd.Env = append(cmd.Env, "LD_LIBRARY_PATH="+libraries)
	}
	mark := fmt.Sprintf("FETCH_REAL_MARK=%s-%d-%d", s.Name, os.Getpid(), time.Now().UnixNano())
	cmd.Env = append(cmd.Env, mark)
	detach(cmd)

	// One file for all three: vsftpd complains on descriptor 0, and there it
	// must be able to write.
	name := filepath.Join(dir, s.Name, "log")
	log, err := os.OpenFile(name, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = log, log, log
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()

	rec := record{
		PID:       cmd.Process.Pid,
		Command:   filepath.Base(program),
		Mark:      mark,
		Addresses: strings.Fields(addresses(s)),
	}
	if p, ok := processOf(rec.PID); ok {
		rec.Start = p.start
	}
	st[s.Name] = rec
	err = st.save(dir)
	if err == nil {
		err = wait(s, r.greeting, ended)
	}
	if err != nil {
		delete(st, s.Name)
		return errors.Join(fmt.Errorf("%w%s", err, tail(name)), rec.stop(), st.save(dir))
	}
	return nil
}

// command writes the server's files and returns what runs it.
func command(dir string, s servers.Server, r recipe, program string) (*exec.Cmd, error) {
	p := parameters(dir, s)
	for _, d := range append([]string{s.Name}, r.dirs...) {
		if err := makeDir(filepath.Join(dir, filepath.FromSlash(d))); err != nil {
			return nil, err
		}
	}
	for _, folder := range r.folders {
		if err := writeConfig(dir, configs, folder, p); err != nil {
			return nil, err
		}
	}
	argv := []string{program}
	if r.users {
		users := filepath.Join(dir, "users")
		argv = []string{"/bin/sh", filepath.Join(users, "private.sh"), users, filepath.Join(dir, "etc"), program}
	}
	for _, a := range r.args {
		a, err := expand(a, p)
		if err != nil {
			return nil, err
		}
		argv = append(argv, a)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(dir, s.Name)
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"}
	return cmd, nil
}

// vacant reports the first of the server's ports that somebody has.
func vacant(s servers.Server) error {
	for _, scheme := range s.Schemes {
		l, err := net.Listen("tcp", s.Addr(scheme))
		if err != nil {
			return fmt.Errorf("port %d is taken (%v): see ss -ltnp, or move all ports with FETCH_REAL_BASE", s.Port(scheme), err)
		}
		l.Close()
	}
	return nil
}

// wait returns when the server answers on all its ports.
func wait(s servers.Server, greeting string, ended <-chan error) error {
	deadline := time.After(limit)
	for {
		err := answers(s)
		if err == nil {
			break
		}
		select {
		case end := <-ended:
			if end == nil {
				return errors.New("it ended at once, without an error")
			}
			return fmt.Errorf("it ended at once: %w", end)
		case <-deadline:
			return fmt.Errorf("it does not answer after %v: %w", limit, err)
		case <-time.After(poll):
		}
	}
	if greeting == "" {
		return nil
	}
	return greets(s.Addr(s.Schemes[0]), greeting)
}

func answers(s servers.Server) error {
	for _, scheme := range s.Schemes {
		conn, err := net.DialTimeout("tcp", s.Addr(scheme), time.Second)
		if err != nil {
			return err
		}
		conn.Close()
	}
	return nil
}

// greets reads the first line: a server may listen and yet only say that
// something is missing.
func greets(addr, want string) error {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(limit)); err != nil {
		return err
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		return fmt.Errorf("reading its greeting: %w", err)
	}
	if !strings.HasPrefix(line, want) {
		return fmt.Errorf("it greets with %q", strings.TrimSpace(line))
	}
	return nil
}

// tail returns the last lines of a log, to stand below an error.
func tail(name string) string {
	b, err := os.ReadFile(name)
	b = bytes.TrimSpace(b)
	if err != nil || len(b) == 0 {
		return ""
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) > 8 {
		lines = lines[len(lines)-8:]
	}
	return "\n  " + strings.Join(lines, "\n  ")
}
