package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/url"
)

// fileFlags say where files go and which of those that are there stay.
type fileFlags struct {
	outputs    []string
	remoteName bool
	headerName bool
	dir        string
	createDirs bool
	noClobber  bool
	overwrite  bool
	timestamps bool
	goOn       start
	checksum   string
	segments   int
	mirrors    []string

	aside   map[string]string // flags that write or read other files, by the download.FinalName of these
	survey  *download.Survey  // nil if each file is looked for
	claims  claims            // by the jobs so far
	planned claims            // by --dry-run
}

func (f *fileFlags) add(flags *pflag.FlagSet) {
	flags.StringArrayVarP(&f.outputs, "output", "o", nil, "write to `FILE`; - is standard output; once for each URL")
	flags.BoolVarP(&f.remoteName, "remote-name", "O", false, "write to a file named as in the URL; number it if there is one")
	flags.BoolVarP(&f.headerName, "remote-header-name", "J", false, "with -O, prefer the name that the server suggests")
	flags.StringVar(&f.dir, "output-dir", "", "put files into `DIR`, unless their name is absolute")
	flags.BoolVar(&f.createDirs, "create-dirs", false, "make the directories that the names of files ask for")
	flags.BoolVar(&f.noClobber, "no-clobber", false, "keep a file that exists and number the new one, as -O does")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace a file that exists, as -o does")
	flags.BoolVarP(&f.timestamps, "timestamping", "N", false, "fetch only what is newer than the file or of another size; set its time")
	flags.VarP(&f.goOn, "continue-at", "C", "`N|-`: fetch what follows the N bytes that the file has; - leaves one that is whole")
	flags.StringVar(&f.checksum, "checksum", "", "`ALGO:HEX|URL|server`: accept only what has this sum, or that in a file of them, or as the server says")
	flags.StringArrayVar(&f.mirrors, "mirror-url", nil, "fetch the same from `URL` if the first fails; with a checksum, from both at once")
	flags.Var(atLeast(0, &f.segments), "segments", "fetch a large file over `N` connections; 0 is as many as help")
}

// streams takes the file that is standard output for what it is: to replace it would take
// it away from whoever has opened it.
func (f *fileFlags) streams() {
	for i, name := range f.outputs {
		if name == "/dev/stdout" {
			f.outputs[i] = "-"
		}
	}
}

// byServer is a --checksum: what the server says.
const byServer = "server"

// coherent returns an error if the names of files or the checksum make no sense.
func (f *fileFlags) coherent() error {
	given := make(map[string]bool)
	for _, name := range f.outputs {
		path := absolute(f.asked(job{output: name}))
		switch {
		case name == "":
			return errors.New("-o without a name: - is standard output")
		case given[path] && name != "-" && name != os.DevNull:
			return fmt.Errorf("-o %s given twice: each URL needs its own", name)
		}
		given[path] = true
	}
	if f.checksum == "" || f.checksum == byServer {
		return nil
	}
	list, err := f.sumFile()
	if list == nil && err == nil {
		_, err = download.ParseSum(f.checksum)
	}
	if err != nil {
		return fmt.Errorf("--checksum: %w", err)
	}
	return nil
}

// sumFile returns the URL that --checksum is, or nil if it is none.
func (f *fileFlags) sumFile() (*url.URL, error) {
	scheme, _, _ := strings.Cut(f.checksum, ":")
	if url.Describe(strings.ToLower(scheme)) == "" {
		return nil, nil
	}
	return url.Parse(f.checksum)
}

// sum returns what the file of a job has to hash to, if that is known beforehand.
func (f *fileFlags) sum(j job) download.Sum {
	if j.sum != (download.Sum{}) {
		return j.sum
	}
	sum, _ := download.ParseSum(f.checksum) // which may say where to look for it
	return sum
}

// place decides the name of the file that a job goes to, if it goes to one.
// Unless it is dry, the directory is made.
func (f *fileFlags) place(j *job, req *fetchers.Request, dry bool) (err error) {
	j.spare = f.noClobber
	if f.remoteName && j.output == "" {
		if j.output, err = download.Name(req.URL); err != nil {
			return writeError{fmt.Errorf("%s: %w: use -o FILE", req.URL.Redacted(), err)}
		}
		j.spare = !f.overwrite && !f.timestamps && f.goOn.at == 0
		j.named = true
	}
	if j.strange {
		j.spare = !f.overwrite && !f.timestamps
	}
	if f.goOn.at > 0 {
		req.Range.Offset = f.goOn.at
	}
	if j.output == "" || j.output == "-" {
		if f.checksum != "" || j.sum != (download.Sum{}) || len(j.mirrors) > 0 {
			return j.misfit(fmt.Errorf("%s: what is checked, or has mirrors, has to go to a file: use -o FILE or -O", req.URL.Redacted()))
		}
		return nil
	}
	j.output = f.asked(*j)
	if err := f.apart(j.output, j.spare); err != nil {
		return j.misfit(fmt.Errorf("%s: %w", req.URL.Redacted(), err))
	}
	if f.goOn.at > 0 {
		if info, err := os.Stat(j.output); err != nil || info.Size() < f.goOn.at {
			return usageError{fmt.Errorf("-C %d: %s has less to go on from", f.goOn.at, j.output)}
		}
	}
	if f.createDirs && !dry {
		if err := os.MkdirAll(filepath.Dir(j.output), 0o777); err != nil {
			return writeError{err}
		}
	}
	return nil
}

// apart returns an error if what is fetched would get the name of a file that fetch itself
// reads or writes.
func (f *fileFlags) apart(name string, spare bool) error {
	if flag := f.used(name); flag != "" && !(spare && exists(name)) {
		return fmt.Errorf("it and %s name the same file: %s", flag, name)
	}
	return nil
}

// used returns the flag by which fetch itself reads or writes a file, or "". A link is the
// file that it leads to. To look for directories is left for names that may be the same.
func (f *fileFlags) used(name string) string {
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
		name = download.FinalName(name)
	}
	for path, flag := range f.aside {
		if filepath.Base(path) == filepath.Base(name) && path == download.FinalName(name) {
			return flag
		}
	}
	return ""
}

// absolute returns the absolute name of a file, or else the one given.
func absolute(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// asked returns the name that a job asks for, or only where to, if the URL has the name.
func (f *fileFlags) asked(j job) string {
	if f.dir == "" || filepath.IsAbs(j.output) {
		return j.output
	}
	return filepath.Join(f.dir, j.output)
}

// places returns the requests for all the places of a job, of which req is the
// first.
func (a *app) places(j job, req *fetchers.Request) ([]*fetchers.Request, error) {
	places := []*fetchers.Request{req}
	for _, text := range j.mirrors {
		mirror, err := a.request(job{text: text, where: j.where, strange: j.strange})
		if err != nil {
			return nil, err
		}
		places = append(places, mirror)
	}
	return places, nil
}

// sum returns what --checksum says that req has to be.
func (a *app) sum(ctx context.Context, req *fetchers.Request) (download.Sum, error) {
	u, err := a.files.sumFile()
	switch {
	case err != nil:
		return download.Sum{}, err
	case u == nil && a.files.checksum != byServer:
		return download.ParseSum(a.files.checksum)
	case a.ask.span != "":
		return download.Sum{}, usageError{fmt.Errorf("-r asks for a part, and --checksum %s is about the whole", url.Redact(a.files.checksum))}
	case u == nil:
		return download.StatedSum(ctx, a.limited, req)
	}
	if err := a.follow.allows(u); err != nil {
		return download.Sum{}, err
	}
	list := &fetchers.Request{URL: u}
	if u.SameOrigin(req.URL) {
		list.Login, list.Header = req.Login, req.Header
	}
	res, err := a.limited.Fetch(ctx, list)
	if err != nil {
		return download.Sum{}, err
	}
	defer res.Close()
	sum, err := download.FindSum(res.Body, req.URL.Base())
	if err != nil {
		err = fetchers.NewError("read", u, err)
	}
	return sum, err
}

// newSaver returns what saves files as the flags say.
func (a *app) newSaver() download.Saver {
	return download.Saver{
		Fetcher:  a.conditional(),
		Survey:   a.files.survey,
		Segments: a.files.segments,
		Write: func(w io.Writer, res *fetchers.Resource) error {
			if err := a.deliverable(res); err != nil {
				return err
			}
			return a.write(w, res)
		},
		Duplicate: func(place *url.URL) *fetchers.Request {
			if isElsewhere(place.String()) || a.forStrangers() != nil {
				return nil
			}
			mirror, err := a.request(job{text: place.String()})
			if err != nil {
				return nil
			}
			return mirror
		},
		Restart: func(req *fetchers.Request) {
			a.say("fetch: %s: the download cannot be resumed; starting over", req.URL.Redacted())
		},
	}
}

// save fetches what req asks for into a file.
func (a *app) save(ctx context.Context, j job, req *fetchers.Request, rec *record) (*fetchers.Resource, error) {
	to := download.Target{
		Name: j.output, Beside: j.spare, Strange: j.named || j.strange, Prefer: a.files.headerName && j.named,
		Keep: (a.files.goOn.whole || a.files.timestamps) && !j.second, Times: a.files.timestamps, Head: a.files.goOn.at, Size: j.size, Most: int64(a.limits.maxSize), Sum: j.sum, Pieces: j.pieces,
		Allow: func(name string) error { return a.files.apart(name, j.spare) },
	}
	if a.files.checksum != "" && to.Sum == (download.Sum{}) {
		var err error
		if to.Sum, err = a.sum(ctx, req); err != nil {
			return nil, err
		}
	}
	if a.json || a.batch.state != nil || a.events.file != nil {
		to.Hash = sha256.New()
	}
	var end func()
	to.Meter, end = a.progress.follow(j.output)
	defer end()
	if rec.story.told != nil {
		if to.Meter == nil {
			to.Meter = new(download.Meter)
		}
		rec.story.told.watch(func() (have, size int64) { return to.Meter.Have(), to.Meter.Size() })
	}
	saver := a.saver
	saver.Next = func(failed error, next *fetchers.Request) {
		a.say("fetch: %s; trying %s", oneLine(failed), next.URL.Redacted())
		rec.story.moveOn()
	}
	if len(j.mirrors) > 0 && !a.given["segments"] {
		saver.Segments = 0 // they are there to be used
	}
	places, err := a.places(j, req)
	if err != nil {
		return nil, err
	}
	saved, err := saver.SaveAny(ctx, places, to)
	if saved == nil {
		return nil, advised(req.URL, err)
	}
	res := saved.Resource
	rec.ResumedFrom, rec.Received = saved.Resumed, saved.Fetched
	switch {
	case err != nil:
		return res, err
	case saved.Name == "", res.Kind == fetchers.Unchanged:
		rec.kept = saved.Name
		a.tellKept(res)
		return res, a.deliverable(res)
	}
	a.hint(res)
	if j.unsure {
		a.say("fetch: %snot checked: none of its checksums can be used", j.where)
	}
	rec.Output = &saved.Name
	if to.Hash != nil {
		rec.SHA256 = orNull(fmt.Sprintf("%x", to.Hash.Sum(nil)))
	}
	return res, a.condition.keep(ctx, res)
}

// A start is a flag's place to go on from: "-" for where the file ends, which is
// known.
type start struct {
	at    int64
	whole bool
}

func (s *start) String() string {
	if s.whole {
		return "-"
	}
	return strconv.FormatInt(s.at, 10)
}

func (s *start) Type() string { return "offset" }

func (s *start) Set(text string) error {
	n, err := strconv.ParseInt(text, 10, 64)
	if s.whole = text == "-"; !s.whole && (err != nil || n < 0) {
		return fmt.Errorf("neither - nor a number of bytes: %q", url.Redact(text))
	}
	s.at = n
	return nil
}
