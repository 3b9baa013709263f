package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/integration/wire"
	"github.com/seed1ea3422f/fetch/url"
)

// wireFlags say where the wire script goes that --trace writes: what went over the
// connections for one URL, so that it can be played again.
type wireFlags struct {
	name string

	file     *os.File       // nil if nobody wants one
	recorder *wire.Recorder // nil like file
	flags    []string       // those that were given

	mu   sync.Mutex
	url  *url.URL // the first that was asked for
	told *record  // what came out
}

func (f *wireFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.name, "trace", "", "write to `FILE` what goes over the wire for one URL, as a script to play again")
}

// open begins the script. Others may not read what is in it.
func (f *wireFlags) open(c *cobra.Command) (err error) {
	if f.name == "" {
		return nil
	}
	f.file, err = opened(c.Context(), func() (*os.File, error) { return download.OpenInPlace(f.name) })
	if err != nil {
		return writeError{err}
	}
	f.recorder = new(wire.Recorder)
	c.Flags().Visit(func(flag *pflag.Flag) {
		text := "--" + flag.Name
		switch flag.Value.Type() {
		case "bool", "number", "seconds", "bytes", "word":
			text += "=" + flag.Value.String()
		default:
			text += "=***" // it may have a secret in it
		}
		f.flags = append(f.flags, text)
	})
	return nil
}

// asked takes note of a URL that is asked for.
func (f *wireFlags) asked(u *url.URL) {
	if f.recorder == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.url == nil {
		f.url = u
	}
	if u.Host != "" {
		server := url.URL{Slashes: true, Authority: url.Authority{Host: u.Host, Port: u.Port}}
		f.recorder.Server(strings.TrimPrefix(server.String(), "://"))
	}
}

// ended takes note of what came out.
func (f *wireFlags) ended(r *record) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.told = r
}

// tap records a connection. It is the Tap of a Trace.
func (f *wireFlags) tap(network, _ string) *fetchers.Tap {
	if network == "udp" {
		return tapOf(f.recorder.Connect("\n"))
	}
	return tapOf(f.recorder.Connect("\r\n"))
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

// close writes the script of a run that has ended with failure.
func (f *wireFlags) close(failure error) error {
	if f.file == nil {
		return nil
	}
	out := bufio.NewWriter(f.file) // which keeps its first error until Flush
	fmt.Fprintf(out, "fetch %s, with %s\n", version(), strings.Join(f.flags, " "))
	if f.url != nil {
		fmt.Fprintf(out, "-- url --\n%s\n", f.recorder.URL(f.url.Redacted()))
	}
	fmt.Fprintln(out, "-- wire --")
	f.recorder.WriteTo(out)
	if f.told != nil {
		text, _ := marshal(f.told)
		fmt.Fprintf(out, "-- record --\n%s\n", harmless(text))
	}
	if failure != nil {
		fmt.Fprintf(out, "-- error --\n%s\n", visible(oneLine(failure)))
	}
	if err := errors.Join(out.Flush(), f.file.Close()); err != nil {
		return writeError{err}
	}
	return nil
}
