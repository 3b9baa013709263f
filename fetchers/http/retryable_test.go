package http

import (
	"context"
	"errors"
	"io"
	"io/fs"
	nethttp "net/http"
	"testing"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// TestMayPass compares the temporary statuses with those of the library.
func TestMayPass(t *testing.T) {
	corrected := map[int]bool{408: true, 421: true, 425: true} // the corrected values
	for status := 505; status < 1000; status++ {
		corrected[status] = false
	}
	temporary := map[int]bool{408: true, 421: true, 425: true, 429: true, 500: true, 502: true, 503: true, 504: true}
	for status := 100; status < 1000; status++ {
		library, _ := retryablehttp.DefaultRetryPolicy(t.Context(), &nethttp.Response{StatusCode: status}, nil)
		to, isCorrected := corrected[status]
		if mayPass(status) != temporary[status] {
			t.Errorf("%d may pass: %v", status, mayPass(status))
		}
		if (library != temporary[status]) != isCorrected || isCorrected && to != temporary[status] {
			t.Errorf("%d: the library says %v, and that is corrected: %v", status, library, isCorrected)
		}
		if class := classOf(status); errors.Is(class, fetchers.ErrTemporary) != temporary[status] {
			t.Errorf("%d has the class %v", status, class)
		}
	}
}

// TestStatusClasses checks the class of each status.
func TestStatusClasses(t *testing.T) {
	for class, statuses := range map[error][]int{
		fetchers.ErrLogin:     {401},
		fs.ErrPermission:      {402, 403, 451, 511},
		fs.ErrNotExist:        {404, 410},
		errors.ErrUnsupported: {405, 501, 505},
		fetchers.ErrRange:     {416},
		fetchers.ErrBusy:      {429, 503},
		fetchers.ErrTemporary: {408, 421, 425, 500, 502, 504},
		fetchers.ErrOther:     {400, 406, 407, 418, 426, 507, 599},
	} {
		for _, status := range statuses {
			if got := fetchers.ClassOf(refusal(&nethttp.Response{StatusCode: status})); got != class {
				t.Errorf("the class of %d is %v, want %v", status, got, class)
			}
		}
	}
}

// TestFailure compares the temporary failures with those of the library.
func TestFailure(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name      string
		ctx       context.Context
		err       error
		library   bool
		temporary bool
	}{
		{"silence", t.Context(), fetchers.ErrStalled, true, true},
		{"the end of a connection before an answer", t.Context(), errNoAnswer, true, true},
		{"silence, and the caller has gone", gone, fetchers.ErrStalled, false, false},
		{"an address that is forbidden", t.Context(), fetchers.ErrBlocked, true, false},
		{"an answer that makes no sense", t.Context(), fetchers.ErrProtocol, true, false},
		{"no agreement on TLS", t.Context(), fetchers.ErrTLS, true, false},
		{"a request that cannot be sent", t.Context(), errUnsendable, true, false},
		{"any other", t.Context(), io.ErrUnexpectedEOF, true, false},
	} {
		library, _ := retryablehttp.DefaultRetryPolicy(c.ctx, nil, c.err)
		err := failure(c.ctx, c.err)
		if library != c.library || errors.Is(err, fetchers.ErrTemporary) != c.temporary || !errors.Is(err, c.err) {
			t.Errorf("%s: the library says %v; %v is temporary: %v", c.name, library, err, errors.Is(err, fetchers.ErrTemporary))
		}
	}
}
