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

// command builds the command, once, for the trials that need one: listings, a full disk
// and signals.
var command func() (name string, err error)

// builder returns a command for the directory in which it will be.
func builder(dir string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		name := filepath.Join(dir, "fetch")
		if out, err := exec.Command("go", "build", "-o", name, "github.com/seed1ea3422f/fetch/cmd/fetch").CombinedOutput(); err != nil {
			return "", fmt.Errorf("go build: %v\n%s", err, out)
		}
		return name, nil
	})
}

// limitFlags are the limits of a command that is run: real time passes, so they are
// scaled down as those of the library are in limit.
var limitFlags = []string{"--connect-timeout", "0.3", "--stall-timeout", "0.5", "--retry", "2", "--retry-delay", "0.01"}

// An invocation is how a trial runs the command.
type invocation struct {
	args    []string                                        // before the URL
	rows    bool                                            // standard output is a listing, and else the file is f.bin
	script  string                                          // of the shell, which runs "$@"; empty is the command itself
	output  string                                          // of the file, if script has copied it elsewhere
	signals func(p *os.Process, half <-chan struct{}) error // is called while the command runs
	half    chan struct{}                                   // closed when the server has sent half of the file
	within  time.Duration                                   // the command has to be done; 0 is deadline
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

// execute runs the command on text, and says how that came out.
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

// halves makes a server that sends half of large to the first request, and then has later
// go on. Other requests get what they ask for of f.
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
		time.Sleep(100 * time.Millisecond) // most of it is on the disk then; less is another case
		return nil
	case <-time.After(10 * time.Second):
		return errors.New("half of the file was never asked for")
	}
}

// h2OnSocket is HTTP/2 at a real socket, for the command.
func h2OnSocket(answer func(r *h2) bool) func(*scene) string {
	return func(s *scene) string {
		roots, talk := talkH2(s, func(r *h2) { r.frame(settingsFrame, 0, 0, nil) }, answer)
		s.invoke.args = append(s.invoke.args, "--http2", "--cacert", roots)
		return "https://" + s.listen(func(c *net.TCPConn) { talk(c) }) + "/f.bin"
	}
}
