package dict

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// refusal returns a refusal in the server's words.
func refusal(r fetchers.Reply) error {
	return &fetchers.StatusError{Reply: r, Class: classOf(r.Code)}
}

// classOf says what sort of refusal a code is (RFC 2229, sections 2.4 and 3.11).
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

// countOf returns the number with which the text of 150 and 152 begins.
func countOf(r fetchers.Reply) (int, error) {
	first, _, _ := strings.Cut(r.Text, " ")
	n, err := strconv.ParseUint(first, 10, 31)
	if err != nil {
		return 0, fmt.Errorf("%w: %d %.300q", fetchers.ErrProtocol, r.Code, r.Text)
	}
	return int(n), nil
}

// checkNumber returns an error if the answer r does not have as many as n, which is a number
// of the URL or 0.
func checkNumber(r fetchers.Reply, n, count int) error {
	if n <= count {
		return nil
	}
	return &fetchers.StatusError{Reply: fetchers.Reply{Code: r.Code, Text: fmt.Sprintf("%s, and number %d was asked for", r.Text, n)}, Class: fs.ErrNotExist}
}
