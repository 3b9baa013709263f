package cluster

import (
	"os"
	"strings"
)

// bootID returns a name of this boot of the machine: what a process wrote before and did not sync may
// be lost.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return anyBoot
	}
	return strings.TrimSpace(string(id))
}
