package dict

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns an error reply as a StatusError.
func refusal(r fetchers.Reply) error {
	return &fetchers.StatusError{Reply: r, Class: classOf(r.Code)}
}

// classOf returns the class of a reply code (RFC 2229, sections 2.4 and 3.11).
func classOf(code int) error {
	switch code {
	case 420:
		return fetchers.Temporary(fetchers.ErrBusy)
	case 500, 501, 502, 503, 551:
		return errors.ErrUnsupported
	case 530:
		return fs.ErrPermission
	case 531, 532:
		return fetchers.ErrLogin
	case 550, 552, 554, 555:
		return fs.ErrNotExist
	}
	if code/100 == 4 {
		return fetchers.ErrTemporary
	}
	return nil
}

// countOf returns the number at the beginning of the text of 150 and 152.
func countOf(r fetchers.Reply) (int, error) {
	first, _, _ := strings.Cut(r.Text, " ")
	n, err := strconv.ParseUint(first, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%w: %d %.300q", fetchers.ErrProtocol, r.Code, r.Text)
	}
	return int(n), nil
}

// checkNumber returns an error if n, a number from the URL or 0, exceeds the count in the answer r.
func checkNumber(r fetchers.Reply, n, count int) error {
	if n <= count {
		return nil
	}
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: r.Code, Text: fmt.Sprintf("%s, and number %d was asked for", r.Text, n)}, Class: fs.ErrNotExist}
}
