package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// An app is one run of the command.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	client         *fetchers.Client
	limited        fetchers.Fetcher // the client, with what flags make of it
	saver          download.Saver   // of what it fetches
	asking         sync.Mutex       // held during a question to the user

	mu      sync.Mutex // guards what follows
	first   error      // the failure of the first job that failed decides the exit status
	firstAt int        // which job that was

	// Flags.
	input     string
	json      bool
	raw       bool
	silent    bool
	showError bool
	verbose   bool
	maxTime   seconds
	retry     retryFlags
	batch     batchFlags
	files     fileFlags
	ask       askFlags
	condition conditionFlags
	follow    followFlags
	login     loginFlags
	route     routeFlags
	tls       tlsFlags
	proxy     proxyFlags
	web       webFlags
	ftp       ftpFlags
	wais      waisFlags
	session   sessionFlags
	urn       urnFlags
	gopher    gopherFlags
	news      newsFlags
	decoder   decoder

	limits   limitFlags
	progress progress
	events   events
	wire     wireFlags
	head     bool
	dryRun   bool

	config configFlags
	given  map[string]bool // the names of the flags that were given
}

// start makes the client, once the flags are known.
func (a *app) start(c *cobra.Command, args []string) error {
	a.given = givenFlags(c)
	if err := a.config.apply(a, c); err != nil {
		return err
	}
	if err := a.coherent(c, args); err != nil {
		return err
	}
	a.progress.start(a.stderr, a.silent, &a.asking)
	a.stderr = &a.progress
	a.config.tell(a)
	nw, err := a.route.network()
	if err != nil {
		return err
	}
	config, err := a.tls.config(c.Context())
	if err != nil {
		return err
	}
	keychain, err := a.login.keychain(c.Context(), a)
	if err != nil {
		return err
	}
	fetcher, err := a.proxy.fetcher(c.Context(), a, nw, config)
	if err != nil {
		return err
	}
	if len(a.config.origins) > 0 {
		fetcher, a.web.origins = &originator{fetcher, a.config.origins}, a.config.origins
	}
	a.client = &fetchers.Client{
		Fetcher:  &fetchers.Courtesy{Fetcher: fetcher},
		Follow:   a.follow.policy(a.ftp.sslReqd),
		Keychain: a.news.keychain(keychain),
		Retry:    a.retry.patience(),
	}
	if err := a.condition.open(c.Context()); err != nil {
		return err
	}
	if err := a.batch.open(a.dryRun); err != nil {
		return err
	}
	if err := a.events.open(c.Context()); err != nil {
		return err
	}
	a.limited = a.limits.apply(fetchers.FetcherFunc(a.dereference))
	return nil
}

// A job is one URL to do something with.
type job struct {
	text    string           // as it was given
	url     *url.URL         // what it says, once it was parsed
	output  string           // a file, "-" or "" for standard output
	named   bool             // output is from the URL
	spare   bool             // a file of that name is kept, and the new one gets another
	size    int64            // how large the file has to be; less than 1 is anything
	sum     download.Sum     // what it has to be
	pieces  *download.Pieces // and what its pieces
	unsure  bool             // it has checksums, and none that can be used
	strange bool             // output and mirrors are from a Metalink, whose author is a stranger
	mirrors []string         // other places for the same
	where   string           // "FILE:LINE: " if it was read from a list
	taken   string           // the output, if an earlier one has it, whose file it would replace
	second  bool             // an earlier one has the output, and what is there may be its file
}

// parsed returns the URL that the text of a job is.
func (j job) parsed() (*url.URL, error) {
	if j.url != nil {
		return j.url, nil
	}
	return url.Parse(url.Unwrap(j.text))
}

// shown is the URL of a job as it may be shown: as it is understood, or the text if it is not.
func (j job) shown() string {
	u, err := j.parsed()
	if err != nil {
		return url.Redact(url.Unwrap(j.text))
	}
	return u.Redacted()
}

// hides reports whether something besides a password is missing in what is shown of the
// URL of a job, so that another URL may look the same.
func (j job) hides() bool {
	u, err := j.parsed()
	if err != nil {
		return false
	}
	public := *u
	public.User = nil
	return public.Redacted() != public.String()
}

// misfit returns the error of a job that the flags do not fit: one of the command line, or
// of the line of a list that it is from, which does not keep the others from being tried.
func (j job) misfit(err error) error {
	if j.where == "" {
		return usageError{err}
	}
	return inputError{fmt.Errorf("%s%w", j.where, err)}
}

// each returns what cobra runs for a command that does something with each URL.
// A failure is reported and does not keep the others from being tried.
func (a *app) each(do func(context.Context, job) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		if err := a.wire.open(c); err != nil {
			return err
		}
		if a.input != "" {
			debug.SetGCPercent(400) // little is held, and much of it anew for each of many files
			debug.SetMemoryLimit(64 << 20)
			a.files.survey = new(download.Survey)
		}
		if !a.isSet("segments") && (a.input != "" || len(args) > 1 || a.wire.file != nil || a.limits.least > 0) {
			a.files.segments = 1 // there is enough to do for other connections, or one script, or each has to be fast
		}
		a.saver = a.newSaver()
		batch := download.Batch{Most: a.batch.parallel, PerHost: a.batch.perHost}
		over := func() bool { return c.Context().Err() != nil || a.hopeless() }
		n := 0
		for j, err := range a.jobs(c.Context(), args) {
			n++
			at := n
			work := func(ctx context.Context) {
				if err == nil {
					err = do(ctx, j)
				}
				a.settle(at, err)
			}
			if err == nil && a.apart(c, &j) {
				a.files.claim(&j)
				batch.Do(j.url.Host, func() {
					if !over() {
						work(batch.Context(c.Context()))
					}
				})
			} else {
				batch.Wait() // what goes to standard output goes there in order
				work(c.Context())
			}
			if over() {
				break
			}
		}
		batch.Wait()
		a.progress.close()
		a.settle(n+1, a.decoder.finish())
		if err := errors.Join(a.web.save(c.Context()), a.batch.close(), a.events.close()); err != nil || a.first != nil {
			return err
		}
		return c.Context().Err() // it may have ended between two jobs
	}
}

// settle takes note of how a job ended.
func (a *app) settle(at int, err error) {
	if err == nil {
		return
	}
	a.complain(err)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first == nil || at < a.firstAt {
		a.first, a.firstAt = err, at
	}
}

// hopeless reports whether the command line makes no sense, so that there is no
// point in going on.
func (a *app) hopeless() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, usage := errors.AsType[usageError](a.first)
	return usage
}

// apart reports whether a job of a command can be done beside others: what it fetches
// goes to a file, as only the root command does it. Its URL is parsed for that.
func (a *app) apart(c *cobra.Command, j *job) bool {
	toFiles := a.files.remoteName || a.decoder.on
	if c.HasParent() || a.head || a.dryRun || j.output == "-" || j.output == "" && !toFiles {
		return false
	}
	var err error
	j.url, err = j.parsed()
	return err == nil
}

// toFiles reports whether what is fetched goes to files, or may do so.
func (a *app) toFiles() bool {
	named := func(name string) bool { return name != "-" }
	return slices.ContainsFunc(a.files.outputs, named) || a.files.remoteName || a.decoder.on || a.input != ""
}

// request understands the URL of a job.
func (a *app) request(j job) (*fetchers.Request, error) {
	if j.strange {
		if err := a.forStrangers(); err != nil {
			return nil, err
		}
	}
	text := url.Unwrap(j.text)
	u, err := j.parsed()
	database, wrong := a.pointed(j, text, u)
	if wrong != nil {
		return nil, fmt.Errorf("%s%w", j.where, wrong)
	}
	if database != nil {
		u, err = database, nil
	}
	if err != nil {
		return nil, proposal(j, text, err)
	}
	if err := unschemed(j, text, u); err != nil {
		return nil, err
	}
	if err := a.applies(u); err != nil {
		return nil, j.misfit(err)
	}
	if err := a.follow.allows(u); err != nil {
		return nil, fmt.Errorf("%s%w", j.where, err)
	}
	req := &fetchers.Request{URL: u}
	searches := func(req *fetchers.Request) error { return a.wais.ask(req, a.given) }
	for _, apply := range []func(*fetchers.Request) error{a.ask.apply, a.condition.apply, a.web.ask, a.ftp.ask, a.gopher.ask, searches, a.news.ask} {
		if err := apply(req); err != nil {
			return nil, err
		}
	}
	if j.strange || database != nil {
		req = req.FromStranger()
	}
	return req, nil
}

// silent is an error whose class counts and whose words do not.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (e silent) Unwrap() error { return e.error }

// isSet reports whether a flag was given, or has a value from a file.
func (a *app) isSet(name string) bool { return a.given[name] || a.config.from[name] != "" }

// remark says something to who wants to know everything.
func (a *app) remark(format string, args ...any) {
	if a.verbose {
		fmt.Fprintf(a.stderr, "* %s\n", visible(fmt.Sprintf(format, args...)))
	}
}

// limit gives a URL no more than --max-time.
func (a *app) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.maxTime > 0 {
		return context.WithTimeout(ctx, time.Duration(a.maxTime))
	}
	return ctx, func() {}
}

// say writes a line for the user, in which nothing can pose as something else.
func (a *app) say(format string, args ...any) {
	if !a.silent {
		fmt.Fprintf(a.stderr, "%s\n", visible(fmt.Sprintf(format, args...)))
	}
}

// complain reports a failure. That the command line makes no sense is said also to who
// wants to hear nothing.
func (a *app) complain(err error) {
	var usage usageError
	if err == nil || a.silent && !a.showError && !errors.As(err, &usage) {
		return
	}
	fmt.Fprintf(a.stderr, "%s %s\n", paletteFor(a.stderr).alarm("fetch:"), visible(oneLine(err)))
	var h hinted
	if errors.As(err, &h) {
		for _, line := range h.hints {
			fmt.Fprintf(a.stderr, "fetch: %s\n", visible(line))
		}
	}
}

// oneLine is an error in one line, to stand after "fetch: ".
func oneLine(err error) string {
	return strings.ReplaceAll(strings.TrimPrefix(inWords(err), "fetch "), "\n", ": ")
}

// inWords returns the text of an error for a user. It replaces the text for the end of a
// context, and masks a password in the name of a file, which may be a mistyped URL.
func inWords(err error) string {
	text := err.Error()
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		text = strings.ReplaceAll(text, failed.Path, url.Redact(failed.Path))
	}
	if errors.Is(err, context.Canceled) {
		text = strings.ReplaceAll(text, context.Canceled.Error(), "interrupted")
	}
	if errors.Is(err, context.DeadlineExceeded) {
		text = strings.ReplaceAll(text, context.DeadlineExceeded.Error(), "timed out")
	}
	return text
}
