package waistest

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// A Captured message is one that went over the wire between real programs.
type Captured struct {
	Client bool // whether the client sent it
	Octets []byte
}

// ReadCapture reads a file of captured messages, as they are in
// testdata/captures/wais: one a line, "C: " or "S: " and then hex.
func ReadCapture(name string) ([]Captured, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			return nil, err
		}
	}
	var all []Captured
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		who, digits, _ := strings.Cut(lines.Text(), ": ")
		octets, err := hex.DecodeString(digits)
		if err != nil || who != "C" && who != "S" {
			return nil, fmt.Errorf("%s: line %d is no message (%v)", name, len(all)+1, err)
		}
		all = append(all, Captured{who == "C", octets})
	}
	return all, lines.Err()
}
