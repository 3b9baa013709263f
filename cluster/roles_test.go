package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/fetchers"

	"github.com/seed1ea3422f/fetch/cluster/engine"
	"github.com/seed1ea3422f/fetch/cluster/plan"
	"github.com/seed1ea3422f/fetch/cluster/sink"
)

// The test is the programs of a cluster, too, which it can kill: this variable says which one, with its
// arguments.
const roleVariable = "FETCH_CLUSTER_ROLE"

// play plays the role of the environment, and reports whether there is one.
func play() bool {
	role := strings.Split(os.Getenv(roleVariable), "|")
	if role[0] == "" {
		return false
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	var err error
	switch role[0] {
	case "server": // DIR, LISTEN, NAME, PEERS, ROUTES
		err = playServer(ctx, engine.Options{Dir: role[1], Listen: role[2], Name: role[3], ClusterName: "test", Peers: role[4], Routes: fields(role[5])})
	case "worker": // NATS, SINK, STATE, WAIT
		err = playWorker(ctx, role[1], role[2], role[3], role[4])
	default:
		err = fmt.Errorf("no role: %q", role)
	}
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
	return true
}

func fields(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ",")
}

func playServer(ctx context.Context, o engine.Options) error {
	s, err := engine.Start(o)
	if err != nil {
		return err
	}
	fmt.Println("ready", s.URL())
	<-ctx.Done()
	s.Stop()
	return nil
}

// soon is how long a worker of a test leaves a page open before it puts it back.
func soon(moves int) time.Duration { return plan.Patience(moves) / 40 }

// crashPath is the path of a URL that kills the worker that fetches it.
const crashPath = "/crash"

func playWorker(ctx context.Context, url, dir, state, every string) error {
	least, err := time.ParseDuration(every)
	if err != nil {
		return err
	}
	conn, err := nats.Connect(url, nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	defer conn.Close()
	var store *Store
	for store == nil {
		if store, err = Open(ctx, conn, Options{Job: "test"}); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	bodies, err := sink.NewDir(dir)
	if err != nil {
		return err
	}
	defer bodies.Close()
	registry := fetch.Protocols(nil)
	pace := &crawl.Pace{Fetcher: fetchers.FetcherFunc(func(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
		res, err := registry.Fetch(ctx, req)
		if err == nil && req.URL.Path == crashPath {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return res, err
	}), Least: least}
	client := &fetchers.Client{Fetcher: pace}
	defer client.CloseIdle()
	w := &Worker{Store: store, Fetcher: client, Pace: pace, Sink: bodies, Dir: state, Flush: 200 * time.Millisecond, patience: soon, Say: func(text string) { fmt.Println("says:", text) }}
	fmt.Println("ready")
	return w.Run(ctx)
}

// A program is a process that plays a role.
type program struct {
	t    testing.TB
	role string

	mu  sync.Mutex
	cmd *exec.Cmd
	out io.Closer
	log []string
}

// launch starts a program, and waits until it is ready.
func launch(t testing.TB, role ...string) *program {
	t.Helper()
	p := &program{t: t, role: strings.Join(role, "|")}
	p.start()
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			t.Logf("%s:\n%s", role[0], strings.Join(p.log[max(0, len(p.log)-20):], "\n"))
		}
	})
	return p
}

func (p *program) start() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+p.role)
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ready := make(chan error, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "ready") {
				ready <- nil
			}
			p.mu.Lock()
			p.log = append(p.log, lines.Text())
			p.mu.Unlock()
		}
		select {
		case ready <- errors.New("it ended"):
		default:
		}
	}()
	p.mu.Lock()
	p.cmd, p.out = cmd, closer(func() { <-read })
	p.mu.Unlock()
	if err := <-ready; err != nil {
		p.t.Errorf("%s: %v: %v", p.role, err, p.log)
	}
}

type closer func()

func (c closer) Close() error { c(); return nil }

// kill ends a program by SIGKILL.
func (p *program) kill() { p.end(syscall.SIGKILL) }

// end ends a program by a signal, and waits for that.
func (p *program) end(s syscall.Signal) error {
	p.mu.Lock()
	cmd, out := p.cmd, p.out
	p.cmd = nil
	p.mu.Unlock()
	if cmd == nil {
		return nil
	}
	cmd.Process.Signal(s)
	out.Close()
	return cmd.Wait()
}

// signal sends a signal to a program.
func (p *program) signal(s syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		p.cmd.Process.Signal(s)
	}
}

// restartIfDead starts a program again that has ended by itself, and reports whether it had.
func (p *program) restartIfDead() bool {
	p.mu.Lock()
	cmd := p.cmd
	p.mu.Unlock()
	if cmd == nil {
		return false
	}
	if err := cmd.Process.Signal(syscall.Signal(0)); err == nil && !zombie(cmd.Process.Pid) {
		return false
	}
	p.kill()
	p.start()
	return true
}

func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(after, "Z")
}
