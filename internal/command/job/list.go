package job

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/record"
)

// maxLine is the length of the longest line of a list, in bytes.
const maxLine = 64 << 10

var errLong = fmt.Errorf("the line has more than %d bytes", maxLine)

// readList returns the jobs of a list: a URL a line, after which a TAB and KEY=VALUE may
// follow, several times. Empty lines and those that begin with # are remarks.
func readList(in *bufio.Reader, name string) iter.Seq2[Job, error] {
	return func(yield func(Job, error) bool) {
		for n := 1; ; n++ {
			line, err := readLine(in)
			if err == io.EOF {
				return
			}
			if err == nil && (line == "" || line[0] == '#') {
				continue
			}
			last := err != nil && err != errLong
			var j Job
			if err == nil {
				j, err = parseLine(line)
			}
			j.Where = name + ":" + strconv.Itoa(n) + ": "
			if !yield(j, j.unread(err)) || last {
				return
			}
		}
	}
}

// unread returns an error of reading as that of the entry of a list, or nil if it is nil.
func (j Job) unread(err error) error {
	if err == nil {
		return nil
	}
	return record.InputError{Err: fmt.Errorf("%s%w", j.Where, err)}
}

// readLine returns the next line without the space around it. For a line that is too long
// it returns errLong, and the line is passed over.
func readLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	text := strings.TrimSpace(strings.TrimPrefix(string(line), "\uFEFF"))
	switch {
	case err == bufio.ErrBufferFull:
		for err == bufio.ErrBufferFull {
			_, err = in.ReadSlice('\n')
		}
		if err == nil || err == io.EOF {
			err = errLong
		}
		return "", err
	case err == io.EOF && text != "":
		return text, nil
	}
	return text, err
}

// blank matches the text before the first TAB if a blank stands in its place.
var blank = regexp.MustCompile(` (out|sha256|mirror)=`)

func parseLine(line string) (Job, error) {
	fields := strings.Split(line, "\t")
	j := Job{Text: fields[0]}
	if blank.MatchString(j.Text) {
		return j, errors.New("a TAB, and no blank, has to stand between the URL and out=, sha256= or mirror=")
	}
	for _, field := range fields[1:] {
		switch key, value, _ := strings.Cut(field, "="); key {
		case "":
		case "out":
			if value == "" {
				return j, errors.New("out= without a name")
			}
			j.Output = value
		case "mirror":
			j.Mirrors = append(j.Mirrors, value)
		case "sha256":
			var err error
			if j.Sum, err = download.ParseSum(key + ":" + value); err != nil {
				return j, err
			}
		default: // the field is not quoted: it may be a password
			return j, errors.New("a field after a TAB has to be out=FILE, sha256=HEX or mirror=URL")
		}
	}
	return j, nil
}
