package fault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// command builds the command, once, for the trials that run it: listings, a full disk and
// signals.
var command func() (name string, err error)

// builder returns a function that builds the command in a directory.
func builder(dir string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		name := filepath.Join(dir, "fetch")
		if out, err := exec.Command("go", "build", "-o", name, "github.com/seed1ea3422f/fetch/cmd/fetch").CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %v\n%s", err, out)
		}
		return name, nil
	})
}

// limitFlags are the limits of the command. It runs in real time, so they are scaled
// down, as limit does for the library.
var limitFlags = []string{"--connect-timeout", "0.3", "--stall-timeout", "0.5", "--retry", "2", "--retry-delay", "0.01"}

// An invocation is how a trial runs the command.
type invocation struct {
	args    []string                                        // before the URL
	rows    bool                                            // standard output is a listing; otherwise the file is f.bin
	script  string                                          // a shell script that runs "$@"; empty runs the command itself
	output  string                                          // the name of the file, if script copies it elsewhere
	signals func(p *os.Process, half <-chan struct{}) error // called while the command runs
	half    chan struct{}                                   // closed when the server has sent half of the file
	within  time.Duration                                   // the time in which the command has to end; 0 is deadline
}

// invoked makes a trial run the command.
func invoked(with invocation, serve func(*scene) string) func(*scene) string {
	return func(s *scene) string {
		i := with
		i.half = make(chan struct{})
		s.invoke = &i
		return serve(s)
	}
}

// execute runs the command on text, and returns the verdict and its reason.
func (s *scene) execute(text string, trial *trial) (verdict, string) {
	name, err := command()
	if err != nil {
		s.Fatal(err)
	}
	i := s.invoke
	longest := deadline
	if i.within > 0 {
		longest = i.within
	}
	ctx, cancel := context.WithTimeout(s.Context(), longest)
	defer cancel()
	args := append(slices.Clone(limitFlags), i.args...)
	if !i.rows && !slices.Contains(args, "-o") {
		args = append(args, "-o", filepath.Join(s.dir, "f.bin"))
	}
	args = append(args, text)
	if i.rows {
		args = append([]string{"ls"}, args...)
	}
	c := exec.CommandContext(ctx, name, args...)
	if i.script != "" {
		c = exec.CommandContext(ctx, "unshare", append([]string{"-r", "-m", "sh", "-c", i.script, "sh", name}, args...)...)
	}
	home := s.TempDir()
	c.Env = []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "PATH=" + os.Getenv("PATH"), "DIR=" + s.dir, "OUT=" + i.output}
	c.Dir = s.dir
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr = &stdout, &stderr
	c.WaitDelay = 5 * time.Second
	if err := c.Start(); err != nil {
		s.Fatal(err)
	}
	if i.signals != nil {
		if err := i.signals(c.Process, i.half); err != nil {
			s.Error(err)
		}
	}
	err = c.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return hangs, fmt.Sprintf("for %v: %s", longest, &stderr)
	case err != nil && !errors.As(err, &exit):
		s.Fatal(err)
	case bytes.Contains(stderr.Bytes(), []byte("goroutine ")):
		return wrong, fmt.Sprintf("it panics: %.500s", &stderr)
	}
	why := fmt.Sprintf("%v: %s", c.ProcessState, strings.TrimSpace(stderr.String()))
	if i.rows {
		rows := bytes.Count(stdout.Bytes(), []byte("\n"))
		why = fmt.Sprintf("%d rows, %s", rows, why)
		switch {
		case err != nil:
			return honest, why
		case rows == trial.entries:
			return right, why
		}
		return silent, why
	}
	file := filepath.Join(s.dir, "f.bin")
	if i.output != "" {
		file = i.output
	}
	got, readErr := os.ReadFile(file)
	whole := slices.ContainsFunc(trial.versions(), func(v []byte) bool { return bytes.Equal(got, v) })
	switch {
	case err != nil && readErr == nil && !trial.foreign:
		return wrong, fmt.Sprintf("%d octets have the final name, %s", len(got), why)
	case err != nil:
		return honest, why
	case s.leftover() != "":
		return wrong, fmt.Sprintf("%s is left beside the file", s.leftover())
	case whole:
		return right, fmt.Sprintf("%d octets, %s", len(got), why)
	}
	return strange(got), fmt.Sprintf("%d octets, %s", len(got), why)
}

// halves makes a server that answers the first request with half of large, and then calls
// later. Other requests get f, or their range of it.
func halves(f *version, later func(v *visit)) func(*scene) string {
	return func(s *scene) string {
		return s.http(func(v *visit) {
			if v.n > 1 || s.runs.Load() > 1 {
				v.serve(*f, all)
				return
			}
			v.serve(large, len(large.data)/2)
			close(s.invoke.half)
			later(v)
		})
	}
}

// waitForHalf waits for half of the file to be sent, and then a moment.
func waitForHalf(half <-chan struct{}) error {
	select {
	case <-half:
		time.Sleep(100 * time.Millisecond) // most of it is on the disk then; if not, the case is a different one, and as good
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("half of the file was never asked for")
	}
}

// h2OnSocket serves HTTP/2 on a real socket, for the command.
func h2OnSocket(answer func(r *h2) bool) func(*scene) string {
	return func(s *scene) string {
		roots, talk := talkH2(s, func(r *h2) { r.frame(settingsFrame, 0, 0, nil) }, answer)
		s.invoke.args = append(s.invoke.args, "--http2", "--cacert", roots)
		return "https://" + s.listen(func(c *net.TCPConn) { talk(c) }) + "/f.bin"
	}
}
