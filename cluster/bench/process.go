package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// A process is a program that runs, whose input and output are pipes.
type process struct {
	name     string
	cmd      *exec.Cmd
	in       io.Closer
	out      *bufio.Reader
	all, own int64 // the most memory that look has seen, in bytes
	ended    bool
}

// start starts a program. The caller calls wait or stop.
func start(name, program string, args ...string) (*process, error) {
	p := &process{name: name, cmd: exec.Command(program, args...)}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	return p, p.cmd.Start()
}

// line returns when the program has written a line.
func (p *process) line() error {
	_, err := p.out.ReadSlice('\n')
	return err
}

// count returns how many lines the program writes until it ends.
func (p *process) count() (lines int) {
	for p.line() == nil {
		if lines++; lines%1000 == 0 {
			p.look()
		}
	}
	return lines
}

// wait returns the error of a program that ends by itself.
func (p *process) wait() error {
	if p.ended {
		return nil
	}
	p.ended = true
	return p.cmd.Wait()
}

// stop interrupts the program and waits for its end.
func (p *process) stop() error {
	if p.ended {
		return nil
	}
	p.in.Close()
	p.cmd.Process.Signal(os.Interrupt)
	go io.Copy(io.Discard, p.out)
	return p.wait()
}

// look notes the resident memory of the program: all pages, and those that belong to no file. The system can drop
// pages of files at any time.
func (p *process) look() {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for field, most := range map[string]*int64{"VmHWM:": &p.all, "RssAnon:": &p.own} {
		if _, after, ok := bytes.Cut(text, []byte(field)); ok {
			line, _, _ := strings.Cut(string(after), "kB")
			n, _ := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
			*most = max(*most, n<<10)
		}
	}
}

// seconds returns the time that the program has had of the processors.
func (p *process) seconds() float64 {
	if state := p.cmd.ProcessState; state != nil {
		return (state.UserTime() + state.SystemTime()).Seconds()
	}
	const ticks = 100 // a second, on each system with /proc
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64)
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return float64(user+system) / ticks
}
