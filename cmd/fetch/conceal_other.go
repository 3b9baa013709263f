//go:build !linux

package main

// conceal does nothing: on this system other users cannot see the arguments, or the process cannot
// overwrite them.
func conceal(args, shown []string) {}
