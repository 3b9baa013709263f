//go:build !linux

package cluster

// bootID returns a name that no other process has, so that each one derives its sets anew.
func bootID() string { return anyBoot }
