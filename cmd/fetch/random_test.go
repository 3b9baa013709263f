//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/seed1ea3422f/fetch/record"
)

var (
	randomSeed  = flag.Uint64("seed", 1, "of the random command lines")
	randomRuns  = flag.Uint64("runs", usualRuns, "how many random command lines there are; of the usual number, only those that fit in some seconds are run")
	randomFirst = flag.Uint64("first", 0, "the number of the first random command line")
	randomShort = flag.Bool("usual", false, "begin no random command line after some seconds, in this process")
	randomShare = flag.String("share", "", "N: run every Nth of the random command lines, in this process")
)

const (
	usualRuns     = 400
	usualTime     = 8 * time.Second  // time within which the usual runs begin
	shares        = 6                // processes that share the runs: most runs wait for a server
	runPatience   = 20 * time.Second // time within which a run has to end
	manyRoutines  = 5                // goroutines, mostly of servers, above which stacks are looked at only in the end
	settling      = time.Second      // time within which goroutines have to end
	tooManyFaults = 20
)

// TestRandomCommandLines runs the command with random arguments, configurations, lists and servers.
// Each run ends soon and with a documented status. It does not panic, writes no file outside its
// directory, and leaves no goroutine behind. All servers are on loopback, and no name resolves.
//
//	go test ./cmd/fetch -run TestRandomCommandLines -runs 20000 -seed 2
//
// runs more command lines than usual; -first N -runs 1 repeats the run with the number N.
func TestRandomCommandLines(t *testing.T) {
	if *randomShare != "" {
		shareOfRuns(t)
		return
	}
	if testing.Short() {
		t.Skip("it takes some seconds")
	}
	began := time.Now()
	var all sync.WaitGroup
	var faults atomic.Int64
	var statuses tally
	of := min(shares, *randomRuns)
	for at := range of {
		all.Go(func() {
			for first := *randomFirst + at; first < *randomFirst+*randomRuns; {
				if faults.Load() > tooManyFaults {
					return
				}
				last, report := runShare(t.Context(), first, of, &statuses)
				if report == "" {
					return
				}
				faults.Add(1)
				t.Error(report)
				first = last + of // the process has ended in this run
			}
		})
	}
	all.Wait()
	t.Logf("in %.0f s, runs ended with %v", time.Since(began).Seconds(), statuses.times)
}

// A tally counts the runs that have ended with each status.
type tally struct {
	mu    sync.Mutex
	times map[string]int
}

func (c *tally) count(status string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = make(map[string]int)
	}
	c.times[status]++
}

// runShare runs every of-th command line from first on in a process of its own. It returns the
// number of the last run, and a report of the fault, or "".
func runShare(ctx context.Context, first, of uint64, statuses *tally) (last uint64, report string) {
	self, err := os.Executable()
	if err != nil {
		return first, err.Error()
	}
	until := *randomFirst + *randomRuns
	child := exec.CommandContext(ctx, self, "-test.run=^TestRandomCommandLines$", "-test.v", fmt.Sprintf("-seed=%d", *randomSeed), fmt.Sprintf("-first=%d", first), fmt.Sprintf("-runs=%d", until-first), fmt.Sprintf("-share=%d", of), fmt.Sprintf("-usual=%v", *randomRuns == usualRuns))
	var others, errs bytes.Buffer
	child.Stderr = &errs
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		return first, err.Error()
	}
	line := ""
	said := bufio.NewScanner(out)
	said.Buffer(nil, 1<<20)
	for said.Scan() {
		word, rest, _ := strings.Cut(said.Text(), " ")
		number, args, _ := strings.Cut(rest, " ")
		switch word {
		case "RUN":
			last, _ = strconv.ParseUint(number, 10, 64)
			line = args
		case "END":
			statuses.count(number)
		default:
			others.WriteString(said.Text() + "\n")
		}
	}
	if err := child.Wait(); err != nil {
		report = fmt.Sprintf("seed %d, run %d: %s: %v\n%s", *randomSeed, last, line, err, excerpt(others.String()+errs.String()))
	}
	return last, report
}

// excerpt returns the beginning and the end of a long text.
func excerpt(text string) string {
	const most = 6000
	if len(text) <= 2*most {
		return text
	}
	return text[:most] + "\n...\n" + text[len(text)-most:]
}

// shareOfRuns runs the command lines of this process, and ends at the first fault.
func shareOfRuns(t *testing.T) {
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no name of another machine is asked for")
	}}
	of, err := strconv.ParseUint(*randomShare, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	r := &randomRun{root: root, at: places{dir: filepath.Join(root, "deep", "work"), canary: filepath.Join(root, "canary")}}
	for _, dir := range []string{"deep", "canary", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.at.canary, "file"), []byte("stays"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(root, "home"))
	t.Setenv("TMPDIR", filepath.Join(root, "tmp"))
	t.Chdir(root)
	r.at.servers = startHostile(t)
	r.outside = r.snapshot(t)
	began := time.Now()
	for run := *randomFirst; run < *randomFirst+*randomRuns; run += of {
		if *randomShort && time.Since(began) > usualTime {
			break
		}
		if err := r.do(t, run); err != nil {
			t.Fatal(err)
		}
	}
}

// A randomRun runs command lines one after the other.
type randomRun struct {
	root    string // above the working directory
	at      places
	outside string // the files beside the working directory
}

// snapshot describes all files that are not in the working directory.
func (r *randomRun) snapshot(t *testing.T) string {
	var b strings.Builder
	err := filepath.WalkDir(r.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == r.at.dir {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err == nil && !d.IsDir() {
			fmt.Fprintf(&b, "%s %d %v %v\n", name, info.Size(), info.Mode(), info.ModTime())
		} else if err == nil {
			fmt.Fprintf(&b, "%s/\n", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// furnish makes the working directory of a run. The returned function closes the pipe, which has no
// process at its other end, and removes the directory.
func (r *randomRun) furnish(m *lineMaker) (end func(), err error) {
	if err := os.Mkdir(r.at.dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.Chdir(r.at.dir); err != nil {
		return nil, err
	}
	if err := errors.Join(os.Mkdir("sub", 0o755), os.Symlink("file", "link"), syscall.Mkfifo("pipe", 0o644)); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{
		"file": "hello\n", "part": "he", "empty": "", "sub/file": "x", "list": m.list(), "config.toml": m.configuration(),
		"cookies": "127.0.0.1\tFALSE\t/\tFALSE\t0\ta\tb\n", "hsts": "localhost \"20301231 00:00:00\"\n", "netrc": "machine 127.0.0.1 login user password s3cret\n",
		"cert.pem": "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n", "sums": strings.Repeat("0", 64) + "  file\n", "state": "{\"url\":", "torn": "\xff\x00{", "message": "Content-Type: multipart/related; boundary=x\r\n\r\n--x\r\nContent-ID: <c>\r\n\r\nhi\r\n--x--",
		"new.part": "he", "new.part.json": "{\"url\":\"http://127.0.0.1:1/\",\"size\":5}",
	} {
		if name == "new.part" && m.chance(2) {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	pipe, err := os.OpenFile("pipe", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	done := make(chan struct{})
	gone := time.AfterFunc(300*time.Millisecond, func() {
		os.Remove(filepath.Join(r.at.dir, "pipe")) // so that no run opens it once it is closed
		pipe.Close()
		close(done)
	})
	return func() {
		if gone.Stop() {
			pipe.Close()
		} else {
			<-done
		}
		os.Chdir(r.root)
		err := os.RemoveAll(r.at.dir)
		for range 100 { // the end of the pipe may still make room for a file
			if err == nil {
				break
			}
			time.Sleep(time.Millisecond)
			err = os.RemoveAll(r.at.dir)
		}
	}, nil
}

// do runs a command line, and returns an error if there is a fault in it.
func (r *randomRun) do(t *testing.T, number uint64) error {
	m := newLineMaker(*randomSeed, number, r.at)
	end, err := r.furnish(m)
	if err != nil {
		return err
	}
	defer end()
	args := m.line()
	for _, name := range []string{"http_proxy", "all_proxy", "NNTPSERVER", "NETRC"} {
		os.Unsetenv(name)
		if m.chance(60) {
			os.Setenv(name, pick(m, m.proxy(), m.at.host(m), "netrc", "file", "\x1b[2J"))
		}
	}
	fmt.Printf("RUN %d fetch %q\n", number, args)
	before := runtime.NumGoroutine()
	var stdout, stderr bounded
	type outcome struct {
		status int
		panics string
	}
	ended := make(chan outcome, 1)
	go func() {
		var e outcome
		defer func() {
			if p := recover(); p != nil {
				e.panics = fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
			}
			ended <- e
		}()
		e.status = run(args, strings.NewReader(m.list()), &stdout, &stderr)
	}()
	select {
	case e := <-ended:
		if e.panics != "" {
			return errors.New(e.panics)
		}
		fmt.Printf("END %d\n", e.status)
		if !slices.ContainsFunc(record.ExitCodes(), func(c record.ExitCode) bool { return c.Code == e.status }) {
			return fmt.Errorf("status %d\n%s", e.status, stderr.text())
		}
		if e.status != 0 && stderr.text() == "" && !slices.ContainsFunc(args, isSilent) {
			return fmt.Errorf("status %d, and nothing is said", e.status)
		}
	case <-time.After(runPatience):
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		fmt.Printf("it has not ended after %v\n%s\n%s", runPatience, stderr.text(), stacks)
		os.Exit(3)
	}
	if after := r.snapshot(t); after != r.outside {
		return fmt.Errorf("a file outside its directory was written: there was\n%s\nand is\n%s", r.outside, after)
	}
	if left := leftBehind(before); left != "" {
		return fmt.Errorf("goroutines are left behind:\n%s", left)
	}
	return nil
}

// isSilent reports whether an argument may make the run silent: -s, alone or before other letters,
// --silent, or a file of the configuration.
func isSilent(arg string) bool {
	return strings.HasPrefix(arg, "-s") || strings.HasPrefix(arg, "--silent") || strings.HasPrefix(arg, "--config")
}

// leftBehind returns the stacks of goroutines of the command that do not end, if there are more
// goroutines than before. Goroutines of the servers do not count.
func leftBehind(before int) string {
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Since(began) < settling && runtime.NumGoroutine() > before+manyRoutines {
			continue
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		var left []string
		for stack := range strings.SplitSeq(string(stacks), "\n\n") {
			if containsAny(stack, ofClient...) && !containsAny(stack, ofTest...) {
				left = append(left, stack)
			}
		}
		switch {
		case len(left) == 0:
			return ""
		case time.Since(began) > settling:
			return strings.Join(left, "\n\n")
		}
	}
	return ""
}

// Substrings of the stacks of goroutines: of the command, and of tests and servers.
var (
	ofClient = []string{"fetch/cmd", "fetch/fetchers", "fetch/download", "fetch/message", "http.(*persistConn)", "clientConnReadLoop"}
	ofTest   = []string{"_test.go", "fetch/integration/"}
)

func containsAny(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// bounded is a writer that keeps the beginning of its input.
type bounded struct {
	mu  sync.Mutex
	got bytes.Buffer
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.got.Len() < 10_000 {
		b.got.Write(p)
	}
	return len(p), nil
}

func (b *bounded) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.got.String()
}
