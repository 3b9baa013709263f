package plan

import (
	"crypto/sha256"
	"strings"
)

// Partitions is how many partitions a job has.
const Partitions = 256

// Partition returns the partition of a host: a number below [Partitions]. It is the first octet of
// the SHA-256 of the name in lower case, which is the same in every version.
func Partition(host string) int {
	sum := sha256.Sum256([]byte(strings.ToLower(host)))
	return int(sum[0])
}
