package stack

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/gemini"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/internal/filelock"
	"github.com/seed1ea3422f/fetch/record"
)

// knownHosts is a gemini.Store in a file, with a line for each server:
//
//	h.example:1965 sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 2027-01-31T12:00:00Z
//
// Lines that are empty or begin with # are kept as they are. The file is replaced at once, under a
// lock, so that no run loses a line of another run.
type knownHosts struct {
	name    string // of the file; "" if no directory is known for it
	unnamed bool   // the user has not named it: a run goes on if the file cannot be written
	reads   bool   // the file is not written: strangers choose the servers
	warn    func(format string, args ...any)

	mu     sync.Mutex    // held while the file is replaced, and for the fields below
	lost   gemini.Memory // certificates that the file does not have
	warned bool          // of a file that cannot be written
}

// Update is as gemini.Store requires. A certificate that has changed is an error that names the
// file with the other certificate.
func (k *knownHosts) Update(ctx context.Context, addr string, decide func(gemini.Pin) (gemini.Pin, error)) error {
	if k.name == "" {
		k.mu.Lock()
		defer k.mu.Unlock()
		return k.keepInMemory(ctx, addr, decide, errors.New("there is no home directory"))
	}
	kept, err := k.find(ctx, addr)
	if err != nil {
		return err
	}
	pin, err := decide(kept)
	if _, changed := errors.AsType[*gemini.ChangedError](err); changed {
		return term.WithHints(err, fmt.Sprintf("if its operator confirms the change, remove the line of %s from %s", addr, option.Tilde(k.name)))
	}
	if err != nil || pin.Fingerprint == kept.Fingerprint {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reads {
		return k.lost.Update(ctx, addr, decide)
	}
	err = k.replace(ctx, addr, decide)
	if output, failed := errors.AsType[record.OutputError](err); failed && k.unnamed {
		return k.keepInMemory(ctx, addr, decide, output)
	}
	return err
}

// keepInMemory remembers a certificate for the run, and reports the reason to the user.
func (k *knownHosts) keepInMemory(ctx context.Context, addr string, decide func(gemini.Pin) (gemini.Pin, error), why error) error {
	if !k.warned {
		k.warned = true
		k.warn("fetch: the certificates of Gemini servers are remembered for this run only: %s", term.Words(why))
	}
	return k.lost.Update(ctx, addr, decide)
}

// find returns the Pin of a server. The error is a record.InputError, or that of ctx.
func (k *knownHosts) find(ctx context.Context, addr string) (pin gemini.Pin, err error) {
	err = k.lines(ctx, func(line string, host string, known gemini.Pin) error {
		if host == addr {
			pin = known
		}
		return nil
	})
	return pin, err
}

// replace writes the file anew, with the result of decide in the line of a server. The error is the
// error of decide, a record.InputError, a record.OutputError, or the error of ctx.
func (k *knownHosts) replace(ctx context.Context, addr string, decide func(gemini.Pin) (gemini.Pin, error)) error {
	part, end, err := k.begin(ctx)
	if err != nil {
		return err
	}
	defer end()
	commit := false
	defer func() {
		if !commit {
			part.Discard()
		}
	}()
	var kept gemini.Pin
	err = k.lines(ctx, func(line string, host string, known gemini.Pin) error {
		if host == addr {
			kept = known
			return nil
		}
		_, err := part.WriteString(line + "\n")
		return asOutput(err)
	})
	if err != nil {
		return err
	}
	pin, err := decide(kept) // another run may have been the first
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(part, "%s %v %s\n", addr, pin, pin.Expires.Format(time.RFC3339)); err != nil {
		return asOutput(err)
	}
	commit = true
	return asOutput(part.Commit())
}

// begin begins the next state of the file, when no other run does so until end is called.
func (k *knownHosts) begin(ctx context.Context) (part *download.Part, end func() error, err error) {
	if k.unnamed {
		if err := os.MkdirAll(filepath.Dir(k.name), 0o700); err != nil {
			return nil, nil, record.OutputError{Err: err}
		}
	}
	const patience = 10 * time.Second // a run holds the lock for as long as it takes to write a few KB
	for late := time.Now().Add(patience); ; {
		end, err := k.lock()
		if err == nil {
			part, err = download.CreatePrivate(k.name)
			if err == nil {
				return part, end, nil
			}
			end()
		}
		if !errors.Is(err, fetchers.ErrBusy) || time.Now().After(late) {
			return nil, nil, asOutput(err)
		}
		select {
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// lock locks the file itself, and makes it if it does not exist. While a run waits for the lock,
// another one may replace the file: then the run has to try again (ErrBusy). Windows replaces no
// file that is open; there the partial file alone keeps two runs apart.
func (k *knownHosts) lock() (unlock func() error, err error) {
	if runtime.GOOS == "windows" {
		return func() error { return nil }, nil
	}
	file, err := os.OpenFile(k.name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	mine, err := filelock.Lock(file, false)
	if err == nil && !mine {
		err = fetchers.ErrBusy
	}
	if err == nil {
		var held, now fs.FileInfo
		if held, err = file.Stat(); err == nil {
			if now, err = os.Stat(k.name); err != nil || !os.SameFile(held, now) {
				err = fetchers.ErrBusy
			}
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file.Close, nil
}

func asOutput(err error) error {
	if err == nil {
		return nil
	}
	return record.OutputError{Err: err}
}

// lines calls use for each line of the file, which need not exist. host is "" in a line without
// one. The error is that of use, a record.InputError, or that of ctx.
func (k *knownHosts) lines(ctx context.Context, use func(line, host string, known gemini.Pin) error) error {
	var failed error // of use
	err := pipe.Read(ctx, k.name, func(r io.Reader) error {
		in := bufio.NewScanner(r)
		for n := 1; in.Scan(); n++ {
			host, known, ok := parseKnownHost(in.Text())
			if !ok {
				return fmt.Errorf("%s:%d: not HOST:PORT sha256:DIGITS TIME", option.Tilde(k.name), n)
			}
			if failed = use(in.Text(), host, known); failed != nil {
				return failed
			}
		}
		return in.Err()
	})
	switch {
	case failed != nil:
		return failed
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil
	case ctx.Err() != nil:
		return err
	}
	return record.InputError{Err: err}
}

// parseKnownHost reads a line. It has no host if it is empty or a remark.
func parseKnownHost(line string) (host string, known gemini.Pin, ok bool) {
	fields := strings.Fields(line)
	if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
		return "", known, true
	}
	if len(fields) != 3 {
		return "", known, false
	}
	digits, hash := strings.CutPrefix(fields[1], "sha256:")
	expires, err := time.Parse(time.RFC3339, fields[2])
	if !hash || len(digits) != 64 || strings.Trim(digits, "0123456789abcdef") != "" || err != nil || !strings.Contains(fields[0], ":") {
		return "", known, false
	}
	return fields[0], gemini.Pin{Fingerprint: digits, Expires: expires.UTC()}, true
}
