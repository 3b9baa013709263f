package tftp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// A Fetcher fetches tftp URLs. Its zero value is ready to use. Its fields must not change
// in use.
type Fetcher struct {
	// Network is how servers are reached. It has to dial "udp".
	Network *fetchers.Network

	// BlockSize is how many octets of a file a datagram has, if the server agrees: from 8 to
	// 65464. 0 means 1428, which Ethernet carries in one piece.
	BlockSize int

	// WindowSize is how many blocks the server sends before it waits, if it agrees. 0 means
	// 32, or fewer large ones that a socket can hold, and 1 is a block at a time, as in RFC
	// 1350.
	WindowSize int

	// NoOptions asks for a file as in RFC 1350, for servers that do not answer what they do
	// not understand.
	NoOptions bool

	// FirstWait is how long to wait for an answer before a datagram is sent again; the waits
	// after it double, up to eight times that. If 0, it is a second. The server is asked to
	// wait as long, in whole seconds.
	FirstWait time.Duration
}

func (f *Fetcher) blockSize() int {
	return min(max(minBlock, cmp.Or(f.BlockSize, 1428)), maxBlock)
}

func (f *Fetcher) windowSize() int {
	usual := min(32, held/(f.blockSize()+perDatagram))
	return min(max(1, cmp.Or(f.WindowSize, usual)), maxWindow)
}

// A socket of Linux holds 208 KiB of datagrams, each with what the system keeps of it. Half of
// that is for a window.
const (
	held        = 104 << 10
	perDatagram = 1 << 10
)

func (f *Fetcher) firstWait() time.Duration {
	if f.FirstWait > 0 {
		return f.FirstWait
	}
	return time.Second
}

// maxRequest is the longest request (RFC 2347).
const maxRequest = 512

// Fetch asks for req from a port of its own.
func (f *Fetcher) Fetch(ctx context.Context, req *fetchers.Request) (*fetchers.Resource, error) {
	if err := req.Check(ctx); err != nil {
		return nil, err
	}
	what, err := req.URL.TFTP()
	if err == nil {
		if n := len(readRequest(what.File, mode(what), f.wishes(what.NetASCII))); n > maxRequest {
			err = &url.Error{Pos: -1, Reason: fmt.Sprintf("a request of %d bytes, and servers read %d", n, maxRequest)}
		}
	}
	if err != nil {
		return nil, fetchers.NewError("parse", req.URL, err)
	}
	t, err := f.begin(ctx, req, what, f.wishes(what.NetASCII))
	if errors.Is(err, errDeclined) {
		fetchers.ContextTrace(ctx).Note("the server wants no options, so it is asked without")
		t, err = f.begin(ctx, req, what, nil)
	}
	if err != nil {
		return nil, fetchers.NewError("fetch", req.URL, err)
	}
	res := &fetchers.Resource{
		URL: req.URL, Kind: fetchers.Document, MediaType: fetchers.TypeByName(what.File), Size: t.size,
		RemoteAddr: t.remote(), LocalAddr: t.socket.LocalAddr(),
	}
	if t.err == io.EOF && !what.NetASCII { // the first block was the last
		res.Size = t.got
	}
	if res.MediaType == "" && what.NetASCII {
		res.MediaType = "text/plain"
	}
	err = req.CheckSize(res)
	switch {
	case err != nil:
		t.Close()
		return nil, fetchers.NewError("fetch", req.URL, err)
	case req.Describe:
		t.Close()
		res.SetBody(nil)
	case what.NetASCII:
		res.SetBody(&netascii{ReadCloser: t})
	default:
		res.SetBody(t)
	}
	return res, nil
}

// mode returns the name of the mode (RFC 1350, section 1).
func mode(what url.TFTP) string {
	if what.NetASCII {
		return "netascii"
	}
	return "octet"
}

// begin asks for a file, and returns as soon as the server has answered: that it has the file
// and how it will send it, or with the first block of it.
func (f *Fetcher) begin(ctx context.Context, req *fetchers.Request, what url.TFTP, wishes []option) (*transfer, error) {
	t, err := f.open(ctx, req.URL.Addr(), wishes)
	if err != nil {
		return nil, err
	}
	t.trace.Sent("RRQ " + what.File + " " + mode(what) + listed(wishes))
	t.last = readRequest(what.File, mode(what), wishes)
	if err = t.send(); err == nil {
		err = t.answer(f.Network.StallLimit(), req.Describe)
	}
	if err != nil {
		t.end(err)
		return nil, err
	}
	return t, nil
}
