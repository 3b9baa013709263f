package report

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/pipe"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// A script is the file of --trace: the bytes on the connections for one URL, as a script that a
// test can play again. A nil *script notes nothing.
type script struct {
	file     *os.File
	recorder *wire.Recorder
	command  string // the version and the flags, in words

	mu     sync.Mutex
	url    *url.URL       // of the first request
	record *record.Record // of that URL
}

// openScript begins the file, which other users may not read. Without --trace it returns
// nil.
func openScript(ctx context.Context, o *option.Options, version string) (*script, error) {
	name := o.Output.Trace
	if name == "" {
		return nil, nil
	}
	f, err := pipe.Open(ctx, func() (*os.File, error) { return download.OpenInPlace(name) })
	if err != nil {
		return nil, record.OutputError{Err: err}
	}
	command := fmt.Sprintf("fetch %s, with %s", version, strings.Join(o.Summary(), " "))
	return &script{file: f, recorder: new(wire.Recorder), command: command}, nil
}

// asked notes the URL of a request.
func (s *script) asked(u *url.URL) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.url == nil {
		s.url = u
	}
	if u.Host != "" {
		server := url.URL{Slashes: true, Authority: url.Authority{Host: u.Host, Port: u.Port}}
		s.recorder.Server(strings.TrimPrefix(server.String(), "://"))
	}
}

// ended notes the Record.
func (s *script) ended(r *record.Record) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = r
}

// tap records a connection. It is the Tap of a Trace.
func (s *script) tap(_ context.Context, network, _ string) *fetchers.Tap {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case network != "udp":
		return tapOf(s.recorder.Connect("\r\n"))
	case s.url != nil && s.url.Scheme == "tftp":
		return tapOf(s.recorder.Connect(""))
	}
	return tapOf(s.recorder.Connect("\n"))
}

func tapOf(r *wire.Recording) *fetchers.Tap {
	return &fetchers.Tap{
		Sent: r.Sent,
		Got:  r.Got,
		Ended: func(err error) {
			switch {
			case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
				r.End("close")
			case errors.Is(err, syscall.ECONNRESET):
				r.End("reset")
			case errors.Is(err, fetchers.ErrStalled):
				r.End("stall")
			}
		},
		Data: func(addr string) *fetchers.Tap {
			_, text, _ := net.SplitHostPort(addr)
			port, _ := strconv.Atoi(text)
			return tapOf(r.Data(port))
		},
	}
}

// close writes the script of a run that has ended with a failure, or with nil.
func (s *script) close(failure error) error {
	if s == nil {
		return nil
	}
	out := bufio.NewWriter(s.file) // keeps its first error until Flush
	fmt.Fprintln(out, s.command)
	if s.url != nil {
		fmt.Fprintf(out, "-- url --\n%s\n", s.recorder.URL(s.url.Redacted()))
	}
	fmt.Fprintln(out, "-- wire --")
	s.recorder.WriteTo(out)
	var unwritten error
	if s.record != nil {
		var text []byte
		text, unwritten = record.Marshal(s.record)
		fmt.Fprintf(out, "-- record --\n%s\n", text)
	}
	if failure != nil {
		fmt.Fprintf(out, "-- error --\n%s\n", term.Visible(term.OneLine(failure)))
	}
	if err := errors.Join(unwritten, out.Flush(), s.file.Close()); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}
