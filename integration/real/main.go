// Real starts real servers of each protocol on loopback, for tests that want
// more than our own idea of a server.
//
//	go run ./integration/real up     [-dir DIR] [-big] [server...]
//	go run ./integration/real down   [-dir DIR] [server...]
//	go run ./integration/real status [-dir DIR] [server...]
//	go run ./integration/real files  [-dir DIR] [-big]
//
// Without names it means all servers. Up then also unpacks other clients, which test the servers of
// this module. Up leaves the servers running and may be repeated. If a server cannot start, up
// prints the reason and starts the others. Files makes only the served files and the certificates,
// and prints the state directory: docker-compose.test.yml needs only these.
//
// Up works on Linux. It takes missing programs from Debian packages, which it unpacks below
// /opt/fetch-real without installing them. FETCH_REAL_PREFIX names another place, FETCH_REAL_DIR
// another state directory, FETCH_REAL_BASE another first port. Servers that insist on users of the
// system need root, and Varnish a C compiler; the machine's own /etc is never written.
//
// Where the servers are and how a test asks for one: package servers. A test uses them
// only with FETCH_REAL=required, or with FETCH_REAL=up those that are up. To add a
// server: a row in its table, a recipe in recipes.go, a folder of configuration
// beside this file, a service in docker-compose.test.yml.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

const usage = `usage: real up     [-dir DIR] [-big] [server...]
       real down   [-dir DIR] [server...]
       real status [-dir DIR] [server...]
       real files  [-dir DIR] [-big]
`

// run returns 0, 1 if something could not be done, 2 if it was not understood.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	verb := args[0]
	flags := flag.NewFlagSet(verb, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { fmt.Fprint(stderr, usage) }
	dir := flags.String("dir", servers.Dir(), "state directory")
	big := false
	if verb == "up" || verb == "files" {
		flags.BoolVar(&big, "big", false, "make big.bin, 1 GiB")
	}
	if err := flags.Parse(args[1:]); err != nil {
		return 2
	}
	wanted, programs, err := find(flags.Args())
	if err == nil {
		err = servers.Check()
	}
	if err != nil {
		fmt.Fprintf(stderr, "real: %v\n", err)
		return 2
	}
	if *dir, err = filepath.Abs(*dir); err == nil {
		switch verb {
		case "up":
			err = up(*dir, big, wanted, programs, stdout)
		case "down":
			err = down(*dir, wanted, stdout)
		case "status":
			err = status(*dir, wanted, stdout)
		case "files":
			err = files(*dir, big, stdout)
		default:
			fmt.Fprint(stderr, usage)
			return 2
		}
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			fmt.Fprintf(stderr, "real: %s\n", strings.TrimSuffix(line, "\n"))
		}
		return 1
	}
	return 0
}

// find returns the servers and the clients of these names; all if there are none.
func find(names []string) (found []servers.Server, programs []string, err error) {
	if len(names) == 0 {
		return servers.All(), servers.Clients(), nil
	}
	for _, name := range names {
		s, ok := servers.Find(name)
		switch {
		case ok:
			found = append(found, s)
		case slices.Contains(servers.Clients(), name):
			programs = append(programs, name)
		default:
			return nil, nil, fmt.Errorf("there is no server or client %q", name)
		}
	}
	return found, programs, nil
}

func up(dir string, big bool, wanted []servers.Server, programs []string, out io.Writer) error {
	st, unlock, err := open(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := reachable(dir); err != nil {
		return err
	}
	if err := prepare(dir, big); err != nil {
		return err
	}
	var failed []error
	for _, s := range wanted {
		if st[s.Name].alive() {
			fmt.Fprintf(out, "%s is already up\n", s.Name)
			continue
		}
		if err := start(dir, s, st); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
			continue
		}
		fmt.Fprintf(out, "%s is up: %s\n", s.Name, addresses(s))
	}
	for _, name := range programs {
		if err := provide(dir, name); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
			continue
		}
		fmt.Fprintf(out, "%s is there\n", name)
	}
	return errors.Join(failed...)
}

func down(dir string, wanted []servers.Server, out io.Writer) error {
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil // never up
	}
	st, unlock, err := open(dir)
	if err != nil {
		return err
	}
	defer unlock()
	var failed []error
	for _, s := range wanted {
		rec, ok := st[s.Name]
		if !ok {
			continue
		}
		if err := rec.stop(); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", s.Name, err))
			continue
		}
		delete(st, s.Name)
		if err := st.save(dir); err != nil {
			failed = append(failed, err)
		}
		fmt.Fprintf(out, "%s is down\n", s.Name)
	}
	return errors.Join(failed...)
}

// status tells apart a server that was started from here, one that answers all
// the same (a container, another directory) and one that does not.
func status(dir string, wanted []servers.Server, out io.Writer) error {
	st, err := load(dir)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, s := range wanted {
		rec, known := st[s.Name]
		state := "down"
		switch {
		case rec.alive():
			state = fmt.Sprintf("up pid=%d", rec.PID)
		case answers(s) == nil:
			state = "answers, not started from here"
		case known:
			state = "ended by itself"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", s.Name, state, addresses(s))
	}
	return w.Flush()
}

func files(dir string, big bool, out io.Writer) error {
	_, unlock, err := open(dir)
	if err != nil {
		return err
	}
	defer unlock()
	if err := prepare(dir, big); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, dir)
	return err
}

// prepare makes the files that all servers share.
func prepare(dir string, big bool) error {
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if err := makeTree(servers.Root(dir), filepath.Join(root, "testdata", "tree"), big); err != nil {
		return err
	}
	news := servers.NewsRoot(dir)
	if err := makeDir(news); err != nil {
		return err
	}
	if err := copyTree(news, filepath.Join(root, "testdata", "news")); err != nil {
		return err
	}
	if err := makeUserKey(servers.KeyDir(dir)); err != nil {
		return err
	}
	return makeCertificates(filepath.Join(dir, "tls"))
}

func addresses(s servers.Server) string {
	var list []string
	for _, scheme := range s.Schemes {
		list = append(list, scheme+"="+s.Addr(scheme))
	}
	return strings.Join(list, " ")
}
