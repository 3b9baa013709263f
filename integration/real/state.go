package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A record identifies a server that up has started. A process id alone is not enough: the system
// may give it to another process later.
type record struct {
	PID       int      `json:"pid"`
	Start     uint64   `json:"start"` // field 22 of /proc/PID/stat
	Command   string   `json:"command"`
	Mark      string   `json:"mark"` // in the environment of all its processes
	Addresses []string `json:"addresses"`
}

// state is DIR/state.json, by server.
type state map[string]record

func load(dir string) (state, error) {
	b, err := os.ReadFile(filepath.Join(dir, "state.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, nil
	}
	if err != nil {
		return nil, err
	}
	st := state{}
	if err := json.Unmarshal(b, &st); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, "state.json"), err)
	}
	return st, nil
}

func (st state) save(dir string) error {
	b, err := json.MarshalIndent(st, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(dir, "state.json")
	if err := writeFile(name+".new", append(b, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// open makes the state directory if need be, sees that it is ours, locks it
// against another up or down, and reads the state.
func open(dir string) (state, func(), error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, err
	}
	if err := owned(dir); err != nil {
		return nil, nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, nil, err
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, nil, err
	}
	st, err := load(dir)
	if err != nil {
		unlock()
		return nil, nil, err
	}
	return st, unlock, nil
}

// reachable returns an error with the directory above dir that a server without root cannot enter.
func reachable(dir string) error {
	for d := filepath.Dir(dir); d != filepath.Dir(d); d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		if err != nil {
			return err
		}
		if fi.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("%s is closed to others, and servers do not stay root: chmod o+x it or choose another -dir", d)
		}
	}
	return nil
}

// A process is a line of /proc/PID/stat, as far as it matters here.
type process struct {
	pid     int
	command string
	state   string // "Z" has ended
	session int
	start   uint64
}

// parseStat reads the line. The command is in parentheses and may hold anything,
// blanks and parentheses too, so fields are counted from the last one.
func parseStat(line string) (process, error) {
	bad := fmt.Errorf("not a line of /proc/PID/stat: %.60q", line)
	left, right := strings.IndexByte(line, '('), strings.LastIndexByte(line, ')')
	if left < 0 || right < left {
		return process{}, bad
	}
	rest := strings.Fields(line[right+1:]) // from field 3
	if len(rest) < 20 {
		return process{}, bad
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(line[:left]))
	session, err2 := strconv.Atoi(rest[6-3])
	start, err3 := strconv.ParseUint(rest[22-3], 10, 64)
	if errors.Join(err1, err2, err3) != nil {
		return process{}, bad
	}
	return process{pid, line[left+1 : right], rest[0], session, start}, nil
}
