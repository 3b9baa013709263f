package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// start starts s and waits until it answers. On an error nothing of s is left running. A process is
// recorded before start waits for it, so that down finds it even after an interrupt.
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
	root, libraries, err := locate(r)
	if err != nil {
		return err
	}
	cmd, err := command(dir, s, r, root)
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
		Command:   filepath.Base(r.program),
		Mark:      mark,
		Addresses: strings.Fields(addresses(s)),
	}
	if p, ok := processOf(rec.PID); ok {
		rec.Start = p.start
	}
	st[s.Name] = rec
	err = st.save(dir)
	if err == nil {
		err = wait(dir, s, r.greeting, ended)
	}
	if err != nil {
		delete(st, s.Name)
		return errors.Join(fmt.Errorf("%w%s", err, tail(name)), rec.stop(), st.save(dir))
	}
	return nil
}

// command writes the server's files and returns its command. Its package lies below root.
func command(dir string, s servers.Server, r recipe, root string) (*exec.Cmd, error) {
	p := parameters(dir, root, s)
	own := p["OWN"]
	for _, d := range append([]string{""}, r.dirs...) {
		if err := makeDir(filepath.Join(own, filepath.FromSlash(d))); err != nil {
			return nil, err
		}
	}
	folder := r.folder
	if folder == "" {
		folder = s.Name
	}
	if err := writeConfig(own, configs, folder, p); err != nil {
		return nil, err
	}
	if r.owner != "" && os.Getuid() == 0 {
		if err := give(own, r.owner); err != nil {
			return nil, err
		}
	}
	argv := r.words()
	for i, word := range argv {
		var err error
		if argv[i], err = expand(word, p); err != nil {
			return nil, err
		}
	}
	if r.users {
		users := filepath.Join(dir, "users")
		if err := writeConfig(users, configs, "users", p); err != nil {
			return nil, err
		}
		argv = append([]string{"/bin/sh", filepath.Join(users, "private.sh"), users, filepath.Join(dir, "etc")}, argv...)
	}
	if r.powerless && os.Getuid() == 0 {
		argv = append([]string{"/usr/bin/setpriv", "--bounding-set=-all"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = own
	cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC", "HOME=" + own}
	return cmd, nil
}

// give changes the owner of a directory, and not of its files.
func give(dir, name string) error {
	u, err := user.Lookup(name)
	if err != nil {
		return err
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return err
	}
	return os.Chown(dir, uid, -1)
}
