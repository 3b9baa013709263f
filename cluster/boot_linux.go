package cluster

import (
	"os"
	"strings"
)

// bootID returns a name of this boot of the machine. Bytes that a process wrote in an earlier boot
// without a sync may be lost.
func bootID() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return anyBoot
	}
	return strings.TrimSpace(string(id))
}
