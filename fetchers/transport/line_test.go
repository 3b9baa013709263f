package transport_test

import (
	"errors"
	"testing"

	"github.com/seed1ea3422f/fetch/fetchers/transport"
)

func TestCheckLine(t *testing.T) {
	for _, line := range []string{"\r\n", "CWD pub\r\n", "TAB\tand \x01\x7f\xff\r\n"} {
		if err := transport.CheckLine([]byte(line)); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	for _, line := range []string{
		"", "CWD pub", "CWD pub\n", "CWD pub\r", "\n\r",
		"CWD pub\r\nDELE x\r\n", "CWD pub\nDELE x\r\n", "CWD pub\rDELE x\r\n", "CWD pub\r\r\n", "\n\r\n", "CWD a\x00b\r\n",
	} {
		if err := transport.CheckLine([]byte(line)); !errors.Is(err, transport.ErrLine) {
			t.Errorf("%q: error = %v, want ErrLine", line, err)
		}
	}
}
