package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/seed1ea3422f/fetch/cluster"
)

// A bench is a list, a web server that has its files, and the programs.
type bench struct {
	options
	urlList string
	server  *process
	remove  bool // of the directory
}

// newBench builds the programs and starts the web server. The caller closes the bench.
func newBench(ctx context.Context, o options) (_ *bench, err error) {
	b := &bench{options: o}
	b.remove = b.dir == ""
	if b.dir, err = os.MkdirTemp(b.dir, "fetchd-bench"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	for _, p := range []struct {
		at        *string
		name, dir string
	}{{&b.fetch, "fetch", ".."}, {&b.fetchd, "fetchd", "."}} {
		if *p.at != "" {
			continue
		}
		*p.at = filepath.Join(b.dir, p.name)
		build := exec.CommandContext(ctx, "go", "build", "-o", *p.at, "./cmd/"+p.name)
		build.Dir, build.Stderr = p.dir, os.Stderr
		if err := build.Run(); err != nil {
			return nil, fmt.Errorf("build %s: %w", p.name, err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if b.server, err = start("server", self, "-serve", fmt.Sprint(o.hosts), fmt.Sprint(o.size)); err != nil {
		return nil, err
	}
	if err := b.server.line(); err != nil {
		return nil, fmt.Errorf("web server: %w", err)
	}
	return b, b.writeList()
}

// writeList writes the list, in which the hosts take turns.
func (b *bench) writeList() error {
	b.urlList = filepath.Join(b.dir, "list")
	text := make([]byte, 0, b.urls*40)
	for i := range b.urls {
		text = fmt.Appendf(text, "http://%s:%s/%d/file%d.html\n", address(i%b.hosts), port, i/b.hosts%100, i)
	}
	return os.WriteFile(b.urlList, text, 0o600)
}

// close ends the web server, and removes the directory unless it was given.
func (b *bench) close() {
	if b.server != nil {
		b.server.stop()
	}
	if b.remove {
		os.RemoveAll(b.dir)
	}
}

// list fetches the list by fetch -i.
func (b *bench) list() error {
	dir, err := os.MkdirTemp(b.dir, "fetch")
	if err != nil {
		return err
	}
	args := append([]string{"-i", b.urlList, "--output-dir", dir, "-o", "{n}", "--json", "-s", "--no-config"}, b.flags...)
	before := b.server.seconds()
	began := time.Now()
	p, err := start("fetch", b.fetch, args...)
	if err != nil {
		return err
	}
	records := p.count()
	took := time.Since(began)
	if err := p.wait(); err != nil {
		return err
	}
	if records != b.urls {
		return fmt.Errorf("fetch wrote %d records", records)
	}
	b.print("fetch -i", took, before, p)
	return nil
}

// job fetches the list by a job.
func (b *bench) job(ctx context.Context, workers int) error {
	dir, err := os.MkdirTemp(b.dir, "fetchd")
	if err != nil {
		return err
	}
	up, err := start("up", b.fetchd, "up", "--dir", filepath.Join(dir, "job"), "--listen", jobAddress)
	if err != nil {
		return err
	}
	defer up.stop()
	job := "nats://" + jobAddress
	store, err := dial(ctx, job)
	if err != nil {
		return err
	}
	defer store.Close()
	add := exec.CommandContext(ctx, b.fetchd, "add", "--nats", job, "-i", b.urlList)
	add.Stderr = os.Stderr
	if err := add.Run(); err != nil {
		return fmt.Errorf("add: %w", err)
	}
	before := b.server.seconds()
	began := time.Now()
	processes := []*process{up}
	for n := range workers {
		args := append([]string{"work", "--nats", job, "--sink", filepath.Join(dir, "bodies"), "--state", filepath.Join(dir, "state"), "--no-config"}, b.flags...)
		program := b.fetchd
		if n == 0 && b.profile != "" {
			args = append([]string{"record", "-F", "499", "-g", "-o", b.profile, b.fetchd}, args...)
			program = "perf"
		}
		w, err := start("worker", program, args...)
		if err != nil {
			return err
		}
		defer w.stop()
		processes = append(processes, w)
	}
	if err := done(ctx, store, processes); err != nil {
		return err
	}
	took := time.Since(began)
	status, err := store.Status(ctx)
	if err != nil {
		return err
	}
	if status.URLs != int64(b.urls) || len(status.Failures) > 0 {
		return fmt.Errorf("%d records, failures %v", status.URLs, status.Failures)
	}
	b.print(fmt.Sprintf("workers: %d", workers), took, before, processes...)
	for _, w := range processes[1:] {
		if err := w.stop(); err != nil && b.profile == "" {
			return fmt.Errorf("work: %w", err)
		}
	}
	return up.stop()
}

// dial opens the job when its server is ready.
func dial(ctx context.Context, server string) (store *cluster.Store, err error) {
	for range 100 {
		if store, err = cluster.Dial(ctx, cluster.Server{URL: server}, cluster.Options{}); err == nil || ctx.Err() != nil {
			return store, err
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil, err
}

// done returns when no page waits, and looks at the processes until then.
func done(ctx context.Context, store *cluster.Store, processes []*process) error {
	for {
		pages, err := store.Waiting(ctx)
		if err != nil || pages == 0 {
			return err
		}
		for _, p := range processes {
			p.look()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// print prints the figures of a run.
func (b *bench) print(name string, took time.Duration, before float64, processes ...*process) {
	fmt.Printf("%-14s %8.2f %10.0f  ", name, took.Seconds(), float64(b.urls)/took.Seconds())
	for _, p := range processes {
		p.look()
		fmt.Printf(" %s %.1f, %.0f (%.0f) MB;", p.name, p.seconds(), float64(p.all)/1e6, float64(p.own)/1e6)
	}
	fmt.Printf(" server %.1f\n", b.server.seconds()-before)
}
