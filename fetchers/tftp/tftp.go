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

// A Fetcher fetches tftp URLs. The zero value is ready to use. Its fields must not change in use.
type Fetcher struct {
	// Network connects to servers. It has to support "udp".
	Network *fetchers.Network

	// BlockSize is the size of the blocks to request in bytes, from 8 to 65464. 0 means 1428, which
	// fits into one Ethernet frame.
	BlockSize int

	// WindowSize is the number of blocks per acknowledgement to request. 0 means 32, or fewer if a
	// socket cannot hold so many large blocks. 1 means a block at a time, as in RFC 1350.
	WindowSize int

	// NoOptions omits all options, as in RFC 1350, for servers that do not answer a request with
	// options.
	NoOptions bool

	// FirstWait is the time without an answer after which a datagram is repeated; it doubles with
	// each repetition, up to eight times. 0 means a second. The server is asked for the same
	// timeout, in whole seconds.
	FirstWait time.Duration
}

func (f *Fetcher) blockSize() int {
	return min(max(minBlock, cmp.Or(f.BlockSize, 1428)), maxBlock)
}

func (f *Fetcher) windowSize() int {
	usual := min(32, held/(f.blockSize()+perDatagram))
	return min(max(1, cmp.Or(f.WindowSize, usual)), maxWindow)
}

// A Linux socket holds 208 KiB of datagrams, each with some overhead. Half of that is for a window.
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

// maxRequest is the maximum size of a request (RFC 2347).
const maxRequest = 512

// Fetch fetches req from a port of its own.
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

// begin requests a file, and returns as soon as the server has answered: with the granted options,
// or with the first block.
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
