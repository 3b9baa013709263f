package stack

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/filelock"
)

// Of several runs that meet a new server at the same time one is the first: the same key is added
// once, and another key is not trusted by any.
func TestAcceptNewAtOnce(t *testing.T) {
	for by, config := range map[string]string{
		"a flag":                           "",
		"StrictHostKeyChecking accept-new": "StrictHostKeyChecking accept-new\nUserKnownHostsFile ~/.ssh/hosts\n",
		"StrictHostKeyChecking no":         "StrictHostKeyChecking no\nUserKnownHostsFile ~/.ssh/hosts ~/.ssh/more\n",
	} {
		t.Run(by, func(t *testing.T) {
			sshHost(t, map[string]string{"config": config, "hosts": "# no line end"})
			name := filepath.Join(os.Getenv("HOME"), ".ssh", "hosts")
			var flags option.SSH
			if config == "" {
				flags = option.SSH{KnownHosts: name, AcceptNew: true}
			}
			errs := make([]error, 20)
			var group, begin sync.WaitGroup
			begin.Add(1)
			for i := range errs {
				client := new(sftp.Fetcher)
				setSSH(client, flags, false, &term.Streams{Err: new(strings.Builder)})
				h, err := client.Host("h", "")
				if err != nil {
					t.Fatal(err)
				}
				begin.Add(1)
				group.Go(func() {
					begin.Done()
					begin.Wait() // each has read the file
					line := "[h.example]:2022 ssh-ed25519 AAAA" + strings.Repeat("x", i%2)
					errs[i] = h.AcceptNew(&sftp.HostKeyError{Host: "[h.example]:2022", Type: "ssh-ed25519", Fingerprint: "SHA256:x"}, line)
				})
			}
			begin.Done()
			group.Wait()
			for i, err := range errs {
				var changed *sftp.HostKeyError
				if (err == nil) != (errs[i%2] == nil) || err != nil && (!errors.As(err, &changed) || !changed.Changed()) {
					t.Errorf("run %d: %v", i, err)
				}
			}
			if (errs[0] == nil) == (errs[1] == nil) {
				t.Errorf("two keys: %v, %v", errs[0], errs[1])
			}
			content, err := os.ReadFile(name)
			if lines := strings.Split(string(content), "\n"); err != nil || len(lines) != 3 || lines[0] != "# no line end" || lines[2] != "" {
				t.Errorf("%q, %v", content, err)
			}
		})
	}
}

// A run that meets a new server waits for the run that writes to the file, and reads its line.
func TestAcceptNewWaits(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "hosts"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := filelock.Lock(file, true); err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() {
		u := &sshUser{streams: &term.Streams{Err: new(strings.Builder)}}
		done <- u.acceptNew(file.Name(), &sftp.HostKeyError{Host: "h"}, "h ssh-ed25519 AAAA")
	}()
	select {
	case err := <-done:
		t.Fatalf("another run has the lock: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	if _, err := file.WriteString("h ssh-ed25519 BBBB\n"); err != nil {
		t.Fatal(err)
	}
	file.Close()
	var changed *sftp.HostKeyError
	if err := <-done; !errors.As(err, &changed) || !changed.Changed() {
		t.Errorf("%v", err)
	}
}
