package download

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
)

// ErrNoSum means that a file of checksums has no checksum for a name, or several that differ, or
// that a server announces none.
var ErrNoSum = errors.New("no checksum")

const (
	// maxSums limits the size of a file of checksums in bytes. The file for all installers of a
	// Debian release has 100 KiB.
	maxSums = 16 << 20

	// maxSumLine limits a line of it: a path, with each byte escaped, and the sum.
	maxSumLine = 16 << 10
)

var (
	// gnu matches a line of sha256sum, of sha256 -r and of similar programs. After a leading
	// backslash, backslashes in the name are escapes.
	gnu = regexp.MustCompile(`^(\\?)([0-9A-Fa-f]{32,128}) [ *]?(.+)$`)

	// bsd matches a line of sha256, of sha256sum --tag, and of openssl.
	bsd = regexp.MustCompile(`^(\\?)([A-Za-z0-9-]+) ?\((.+)\) ?= ?([0-9A-Fa-f]+)$`)

	unescape = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r")
)

// strength orders the algorithms. lengths finds the algorithm if a line has only the digits.
var (
	strength = map[string]int{"md5": 1, "sha1": 2, "sha256": 3, "sha512": 4}
	lengths  = map[int]string{32: "md5", 40: "sha1", 64: "sha256", 128: "sha512"}
)

// FindSum reads a file of checksums, such as SHA256SUMS, in the form of GNU or BSD, and returns the
// strongest one for the file called name. A line with a directory counts only if there is none
// without. FindSum skips other lines, such as those of a signature. The error is ErrNoSum if there
// is no checksum, or if there are two that differ.
func FindSum(r io.Reader, name string) (Sum, error) {
	in := bufio.NewScanner(io.LimitReader(r, maxSums+1))
	in.Buffer(make([]byte, 4096), maxSumLine)
	var found, below sums
	read := 0
	for in.Scan() {
		read += len(in.Bytes()) + 1
		file, s, ok := sumLine(strings.TrimPrefix(strings.TrimSuffix(in.Text(), "\r"), "\uFEFF"))
		file = strings.TrimPrefix(file, "./")
		switch {
		case !ok:
		case file == name:
			found.add(s)
		case path.Base(file) == name:
			below.add(s)
		}
	}
	switch {
	case in.Err() != nil:
		return Sum{}, in.Err()
	case read > maxSums:
		return Sum{}, fmt.Errorf("%w: the file has more than %d bytes", ErrNoSum, maxSums)
	case found.best == (Sum{}):
		found = below
	}
	switch {
	case found.best == (Sum{}):
		return Sum{}, fmt.Errorf("%w for %q", ErrNoSum, name)
	case found.several:
		return Sum{}, fmt.Errorf("%w: several different ones for %q", ErrNoSum, name)
	}
	return found.best, nil
}

// sumLine parses a line of a file of checksums.
func sumLine(line string) (name string, s Sum, ok bool) {
	var algorithm, digits, escaped string
	if m := gnu.FindStringSubmatch(line); m != nil {
		escaped, digits, name = m[1], m[2], m[3]
		algorithm = lengths[len(digits)]
	} else if m := bsd.FindStringSubmatch(line); m != nil {
		escaped, algorithm, name, digits = m[1], m[2], m[3], m[4]
		algorithm = strings.Replace(strings.ToLower(algorithm), "sha2-", "sha", 1) // as OpenSSL 3 writes it
		algorithm = strings.Replace(algorithm, "-", "", 1)
	}
	s, err := ParseSum(algorithm + ":" + digits)
	if escaped != "" {
		name = unescape.Replace(name)
	}
	return name, s, err == nil
}

// sums holds the strongest of several checksums, and whether two of that strength differ.
type sums struct {
	best    Sum
	several bool
}

// add adds a checksum.
func (a *sums) add(s Sum) {
	switch {
	case strength[s.algorithm] > strength[a.best.algorithm]:
		a.best, a.several = s, false
	case s.algorithm == a.best.algorithm && s != a.best:
		a.several = true
	}
}
