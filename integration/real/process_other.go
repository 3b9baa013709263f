//go:build !linux

package main

import "os/exec"

// Elsewhere only "files" and "status" do something: the servers are Debian's,
// and run in containers.
const supported = false

func detach(*exec.Cmd) {}

func lock(string) (func(), error) { return func() {}, nil }

func owned(string) error { return nil }

func (record) alive() bool { return false }

func (record) stop() error { return nil }

func processOf(int) (process, bool) { return process{}, false }
