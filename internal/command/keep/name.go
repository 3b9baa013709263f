package keep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// checkPlace returns an error if the content of a file may not go to its place: to the name
// of an earlier job's file, or to standard output where records go or --state needs a file.
func (f *Files) checkPlace(file File, req *fetchers.Request) error {
	o := f.options
	stdout := file.Output == "-" || file.Output == "" && !o.Files.RemoteName
	switch {
	case file.Taken != "":
		return file.Misfit(fmt.Errorf("%s: %s is the name of an earlier file of this run, which it would replace", req.URL.Redacted(), file.Taken))
	case stdout && o.Output.JSON && !(file.Output == "" && o.Files.Decode):
		return file.Misfit(errors.New("--json writes records to standard output, so the body has to go elsewhere: use -o FILE or -O"))
	case stdout && f.state != nil:
		return file.Misfit(fmt.Errorf("%s: --state needs a file: use -o FILE or -O", req.URL.Redacted()))
	}
	return nil
}

// Place finds the place of a file, and returns an error if the content may not go there. For
// -C N it sets the offset of req, and if --create-dirs is set, it makes the directory. If dry
// is true, Place makes none, and does not look at earlier jobs, --json and --state.
func (f *Files) Place(file File, req *fetchers.Request, dry bool) (Placed, error) {
	if !dry {
		if err := f.checkPlace(file, req); err != nil {
			return Placed{}, err
		}
	}
	p, err := f.named(file, req)
	if err != nil {
		return Placed{}, err
	}
	o := &f.options.Files
	at := o.ContinueAt.At
	if at > 0 {
		req.Range.Offset = at
	}
	if !p.InFile() {
		return p, f.needsFile(file, req)
	}
	if err := f.distinct(p.Path, p.Numbered); err != nil {
		return Placed{}, file.Misfit(fmt.Errorf("%s: %w", req.URL.Redacted(), err))
	}
	if at > 0 {
		if info, err := os.Stat(p.Path); err != nil || info.Size() < at {
			return Placed{}, record.UsageError{Err: fmt.Errorf("-C %d: %s has less to go on from", at, p.Path)}
		}
	}
	if dry {
		return p, nil
	}
	if file.Within != "" {
		if err := f.enter(o.Path(file.Within), filepath.Dir(p.Path)); err != nil {
			return Placed{}, fmt.Errorf("%s: %w", req.URL.Redacted(), err)
		}
		return p, nil
	}
	return p, f.makeDir(filepath.Dir(p.Path))
}

// unnamed is the name of a file that neither its URL nor, with -J, the server has named, as in
// wget. Without -J such a URL is an error before anything is asked.
const unnamed = "index.html"

// named returns a file with its path, from the flags or from the URL of req.
func (f *Files) named(file File, req *fetchers.Request) (Placed, error) {
	o := f.options.Files
	p := Placed{File: file, Numbered: o.NoClobber || o.SkipExisting}
	name := file.Output
	if o.RemoteName && name == "" {
		var err error
		name, err = download.Name(req.URL)
		if err != nil && o.RemoteHeaderName {
			name, err = unnamed, nil
		}
		if err != nil {
			return Placed{}, record.OutputError{Err: fmt.Errorf("%s: %w: use -o FILE, or fetch ls or fetch mirror if it is a directory", req.URL.Redacted(), err)}
		}
		p.Named = true
	}
	if p.Named = p.Named || file.Within != ""; p.Named {
		p.Numbered = !o.Overwrite && !o.Timestamping && o.ContinueAt.At == 0
	}
	if file.Stranger {
		p.Numbered = !o.Overwrite && !o.Timestamping
	}
	if name != "" && name != "-" {
		p.Path = o.Path(name)
	}
	return p, nil
}

// needsFile returns an error if a job that goes to standard output has a checksum or
// mirrors: bytes that are written there cannot be taken back.
func (f *Files) needsFile(file File, req *fetchers.Request) error {
	if f.options.Files.Checksum == "" && file.Sum == (download.Sum{}) && len(file.Mirrors) == 0 {
		return nil
	}
	return file.Misfit(fmt.Errorf("%s: a checksum or a mirror needs a file: use -o FILE or -O", req.URL.Redacted()))
}

// enter makes sure that a directory, which a template has made of a URL, is within another one: a
// symbolic link there may lead elsewhere. If --create-dirs is set, it makes the directory. The
// absence of the directory is left to the file.
func (f *Files) enter(within, dir string) error {
	if err := f.makeDir(within); err != nil {
		return err
	}
	err := f.enterRoot(within, dir)
	reason, bySystem := errors.AsType[syscall.Errno](err)
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return nil
	case bySystem:
		err = fmt.Errorf("cannot use the directory %s: %w", dir, reason)
	default:
		err = fmt.Errorf("%s leads out of %s, and you did not choose the name", dir, within)
	}
	return record.OutputError{Err: err}
}

// enterRoot is enter without its words. An error that is none of the system says that dir is
// elsewhere.
func (f *Files) enterRoot(within, dir string) error {
	inner, err := filepath.Rel(within, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(within)
	if err != nil {
		return err
	}
	defer root.Close()
	if f.options.Files.CreateDirs {
		return root.MkdirAll(inner, 0o777)
	}
	_, err = root.Stat(inner)
	return err
}

// makeDir makes a directory if --create-dirs is set.
func (f *Files) makeDir(name string) error {
	if !f.options.Files.CreateDirs {
		return nil
	}
	if err := os.MkdirAll(name, 0o777); err != nil {
		return record.OutputError{Err: err}
	}
	return nil
}

// distinct returns an error if content would get the name of a file that fetch itself reads
// or writes.
func (f *Files) distinct(name string, numbered bool) error {
	if flag := f.owner(name); flag != "" && !(numbered && exists(name)) {
		return fmt.Errorf("it and %s name the same file: %s", flag, name)
	}
	return nil
}

// owner returns the flag by which fetch itself reads or writes a file, or "". A link is the
// file that it leads to. Directories are compared only for two names that end alike: to look
// for one takes time.
func (f *Files) owner(name string) string {
	if info, err := os.Lstat(name); err == nil && info.Mode()&os.ModeSymlink != 0 {
		name = download.FinalName(name)
	}
	for path, flag := range f.own {
		if filepath.Base(path) == filepath.Base(name) && path == download.FinalName(name) {
			return flag
		}
	}
	return ""
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}
