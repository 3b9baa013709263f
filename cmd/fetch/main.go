// Command fetch dereferences URLs: a URL goes in, what it names comes out.
package main

import (
	"cmp"
	"context"
	"io"
	"log"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	log.SetOutput(io.Discard) // net/http tells it about servers that say too much
	args := slices.Clone(os.Args[1:])
	for i := range args {
		args[i] = strings.Clone(args[i]) // the originals, in the list of processes, are overwritten
	}
	os.Exit(run(args, os.Stdin, os.Stdout, os.Stderr))
}

// run runs the command with the given arguments and returns its exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), signals...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program the hard way

	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := a.command()
	root.SetArgs(args)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { conceal(args, concealed(c.Flags(), args)) }
	err := root.ExecuteContext(ctx)
	if a.client != nil {
		a.client.CloseIdle()
	}
	a.complain(err)
	if werr := a.wire.close(a.failure(err)); werr != nil {
		a.complain(werr)
		err = cmp.Or(err, werr)
	}
	return a.status(err)
}
