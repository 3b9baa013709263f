package keep

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/job"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/report"
	"github.com/seed1ea3422f/fetch/internal/command/stack"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Save fetches the content that req names into a file, and notes that in the file of --state. It
// fills in the fields of fetch.Record that are about the file. The Resource is closed; it is nil if
// no answer arrived.
func (f *Files) Save(ctx context.Context, file Placed, req *fetchers.Request, fetch *report.Fetch) (*fetchers.Resource, error) {
	res, err := f.save(ctx, file, req, fetch)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			f.interrupted.add(file.Path)
		}
		return res, err
	}
	return res, f.note(file, res, fetch)
}

func (f *Files) save(ctx context.Context, file Placed, req *fetchers.Request, fetch *report.Fetch) (*fetchers.Resource, error) {
	to, err := f.target(ctx, file, req, fetch.Hashed())
	if err != nil {
		return nil, err
	}
	meter, end := f.streams.Progress.Track(file.Path)
	defer end()
	if meter == nil && fetch.Live() {
		meter = new(download.Meter)
	}
	if to.Meter = meter; meter != nil {
		fetch.Watch(func() (have, size int64) { return meter.Have(), meter.Size() })
	}
	places, err := f.places(file, req)
	if err != nil {
		return nil, err
	}
	saver := f.saverOf(file, fetch)
	saved, err := saver.SaveAny(ctx, places, to)
	if saved == nil {
		return nil, report.Advised(req.URL, err)
	}
	res := saved.Resource
	fetch.Record.ResumedFrom, fetch.Record.Received = saved.Resumed, saved.Fetched
	switch {
	case err != nil:
		return res, err
	case saved.Name == "", res.Kind == fetchers.Unchanged:
		fetch.Outcome = report.Outcome{Name: saved.Name, Kept: saved.Name != ""}
		report.NotFollowed(f.streams, res)
		return res, f.stack.CheckDelivery(res)
	}
	report.Hint(f.streams, res)
	if file.Unproven {
		f.streams.Say("fetch: %snot checked: none of its checksums can be used", file.Where)
	}
	fetch.Record.Output = &saved.Name
	fetch.Outcome = outcome(file, req.URL, saved.Name, to)
	if to.Hash != nil {
		sum := fmt.Sprintf("%x", to.Hash.Sum(nil))
		fetch.Record.SHA256 = &sum
	}
	return res, f.stack.KeepETag(ctx, res)
}

// outcome returns the Outcome of a file: u is the URL of the request, and name that of the file
// in the end.
func outcome(file Placed, u *url.URL, name string, to download.Target) report.Outcome {
	o := report.Outcome{Name: name}
	if strings.HasPrefix(name, file.Path+".") { // a number follows
		o.Taken = file.Path
	}
	if called := u.Base(); file.Named && file.Within == "" && !to.Prefer && called != filepath.Base(file.Path) {
		o.Called = called
	}
	switch {
	case to.Sum != (download.Sum{}):
		o.Sum, _, _ = strings.Cut(to.Sum.String(), ":")
	case to.Pieces != nil:
		o.Sum = "the sums of its pieces"
	}
	return o
}

// target returns the place of a file and the proofs of its content. It may have to fetch the
// sum that --checksum tells of. If hashed, the SHA-256 of the content is for a Record.
func (f *Files) target(ctx context.Context, file Placed, req *fetchers.Request, hashed bool) (download.Target, error) {
	o := f.options
	to := download.Target{
		Name:    file.Path,
		Strange: file.Named || file.Stranger,
		Prefer:  o.Files.RemoteHeaderName && file.Named,
		Beside:  file.Numbered,
		Keep:    (o.Files.ContinueAt.Whole || o.Files.Timestamping) && !file.Second,
		Newer:   o.Files.Timestamping,
		Times:   o.Files.Timestamping || o.Files.RemoteTime,
		Head:    o.Files.ContinueAt.At,
		Size:    file.Size,
		Most:    o.Limits.MaxFilesize,
		Sum:     file.Sum,
		Pieces:  file.Pieces,
		Allow:   func(name string) error { return f.distinct(name, file.Numbered) },
	}
	if hashed || f.state != nil {
		to.Hash = sha256.New()
	}
	if o.Files.Checksum == "" || to.Sum != (download.Sum{}) {
		return to, nil
	}
	var err error
	to.Sum, err = f.statedSum(ctx, req)
	return to, err
}

// places returns the requests for all the places of a file, of which req is the first.
func (f *Files) places(file Placed, req *fetchers.Request) ([]*fetchers.Request, error) {
	places := []*fetchers.Request{req}
	for _, text := range file.Mirrors {
		mirror, err := f.stack.Request(job.Job{Text: text, Where: file.Where, Stranger: file.Stranger})
		if err != nil {
			return nil, err
		}
		places = append(places, mirror)
	}
	return places, nil
}

// newSaver returns a Saver by the flags. For a list, one look into a directory is for all
// its files.
func (f *Files) newSaver(several bool) download.Saver {
	s := download.Saver{
		Fetcher:     f.stack.Conditional,
		Segments:    connections(f.options, several),
		MaxSegments: f.options.Files.PerHost,
		Write:       f.write,
		Duplicate:   f.duplicate,
		Restart: func(req *fetchers.Request) {
			f.streams.Say("fetch: %s: the download cannot be resumed; starting over", req.URL.Redacted())
		},
	}
	if f.options.Input.List != "" {
		s.Survey = new(download.Survey)
	}
	return s
}

// saverOf returns the Saver of one file. If the file has mirrors, they are used at once,
// unless --segments or --per-host says how many connections there are. In a list, whose other
// files may take the rest, that is one connection for each place.
func (f *Files) saverOf(file Placed, fetch *report.Fetch) download.Saver {
	s := f.saver
	s.Next = func(failed error, next *fetchers.Request) {
		f.streams.Say("fetch: %s; trying %s", f.streams.Words(failed), next.URL.Redacted())
		fetch.MoveOn()
	}
	if file.Named && !f.options.Output.Raw {
		s.Write = f.writeNamed
	}
	if len(file.Mirrors) > 0 && !f.options.Given("segments") && f.options.Files.PerHost == 0 {
		s.Segments = 0
		if f.options.Input.List != "" {
			s.MaxSegments = 1 + len(file.Mirrors)
		}
	}
	return s
}

// connections returns how many connections a large file may take; 0 is as many as help, and
// not more than --per-host allows. Unless --segments is set, it is one where other URLs can use
// the rest, where a script of --trace has one, and where each connection has to be fast. With
// --per-host, several files with as many as help each would be more than it allows.
func connections(o *option.Options, several bool) int {
	several = several || o.Input.List != ""
	most := o.Files.PerHost
	switch {
	case most > 0 && o.Files.Segments > 0:
		return min(o.Files.Segments, most)
	case most == 1, most > 0 && several:
		return 1
	case !o.IsSet("segments") && (several || o.Output.Trace != "" || stack.LeastSpeed(o.Limits) > 0):
		return 1
	}
	return o.Files.Segments
}

// write writes a Resource to a file, if it is one that was asked for.
func (f *Files) write(w io.Writer, res *fetchers.Resource) error {
	if err := f.stack.CheckDelivery(res); err != nil {
		return err
	}
	return report.Write(w, res, f.options.Output.Raw)
}

// writeNamed is write for a file that has its name by -O: a listing is none.
func (f *Files) writeNamed(w io.Writer, res *fetchers.Resource) error {
	if res.Kind == fetchers.Listing {
		return fmt.Errorf("%w: a listing and no file: fetch ls shows it, -o FILE writes it, and fetch mirror copies its entries", fetchers.ErrNotRetrievable)
	}
	return f.write(w, res)
}

// duplicate returns the request for a further place that a server names, or nil if a
// stranger may not name it.
func (f *Files) duplicate(place *url.URL) *fetchers.Request {
	text := place.String()
	if !job.StrangerMayName(text) || f.stack.CheckStrangers() != nil {
		return nil
	}
	mirror, err := f.stack.Request(job.Job{Text: text})
	if err != nil {
		return nil
	}
	return mirror
}

// sum returns the checksum of a job's file, or zero if it is not known before anything is
// fetched.
func (f *Files) sum(j job.Job) download.Sum {
	if j.Sum != (download.Sum{}) {
		return j.Sum
	}
	sum, _ := download.ParseSum(f.options.Files.Checksum) // or the place where it is
	return sum
}

// statedSum returns the checksum that --checksum has for req: by itself, in a file of sums,
// or from the server.
func (f *Files) statedSum(ctx context.Context, req *fetchers.Request) (download.Sum, error) {
	o := f.options
	checksum := o.Files.Checksum
	list, err := o.Files.SumFile()
	switch {
	case err != nil:
		return download.Sum{}, err
	case list == nil && checksum != option.ByServer:
		return download.ParseSum(checksum)
	case o.Ask.RangeText != "":
		return download.Sum{}, record.UsageError{Err: fmt.Errorf("-r asks for a part, and --checksum %s is about the whole", url.Redact(checksum))}
	case list == nil:
		return download.StatedSum(ctx, f.stack.Fetcher, req)
	}
	if o.Ask.Target != "" && option.In(option.Web, list.Scheme) {
		return download.Sum{}, record.UsageError{Err: fmt.Errorf("--request-target would be asked for in place of the file of sums %s", list.Redacted())}
	}
	if err := f.stack.CheckProto(list); err != nil {
		return download.Sum{}, err
	}
	return f.listedSum(ctx, list, req)
}

// listedSum returns the checksum that a file of sums has for req. The login and the header
// fields of req go only to its own origin.
func (f *Files) listedSum(ctx context.Context, list *url.URL, req *fetchers.Request) (download.Sum, error) {
	ask := &fetchers.Request{URL: list}
	if list.SameOrigin(req.URL) {
		ask.Login, ask.Header = req.Login, req.Header
	}
	res, err := f.stack.Fetcher.Fetch(ctx, ask)
	if err != nil {
		return download.Sum{}, err
	}
	defer res.Close()
	sum, err := download.FindSum(res.Body, req.URL.Base())
	if err != nil {
		err = fetchers.NewError("read", list, err)
	}
	return sum, err
}
