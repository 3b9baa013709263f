package mirror

import (
	"fmt"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/seed1ea3422f/fetch/crawl"
	"github.com/seed1ea3422f/fetch/download"
	"github.com/seed1ea3422f/fetch/url"
)

// wanted returns the preferred path for a URL, with slashes.
func (m *Mirror) wanted(u *url.URL, mediaType string) string {
	dirs, name := elements(u)
	dirs = dirs[min(m.CutDirs, len(dirs)):]
	if name == "" {
		name = "index.html"
	}
	if u.Query != "" {
		name += "@" + url.Unescape(strings.TrimPrefix(u.Query, "?"))
	}
	if m.Adjust {
		name = adjusted(name, mediaType)
	}
	all := dirs
	if !m.NoHost {
		all = append([]string{host(u)}, dirs...)
	}
	all = append(all, name)
	for i, e := range all {
		all[i] = download.SafeName(e)
	}
	return path.Join(all...)
}

// host returns the directory of a server.
func host(u *url.URL) string {
	name := strings.ToLower(u.Host)
	switch {
	case name == "":
		return u.Scheme
	case u.Port == 0 || u.OwnPort():
		return name
	}
	return fmt.Sprintf("%s+%d", name, u.Port)
}

// elements returns the decoded names of the directories and of the file in the path of a URL.
func elements(u *url.URL) (dirs []string, name string) {
	var parts []string
	switch u.Scheme {
	case "ftp", "ftps":
		if f, err := u.FTP(); err == nil {
			parts = append(append(parts, f.CWD...), f.Name)
		}
	case "gopher", "gophers":
		if g, err := u.Gopher(); err == nil {
			parts = strings.Split(g.Selector, "/")
			if g.Type == '1' && g.Selector != "" {
				parts = append(parts, "")
			}
		}
	default:
		for e := range strings.SplitSeq(u.Path, "/") {
			parts = append(parts, url.Unescape(e))
		}
	}
	if len(parts) == 0 {
		return nil, ""
	}
	for _, e := range parts[:len(parts)-1] {
		if e != "" && e != "." {
			dirs = append(dirs, e)
		}
	}
	return dirs, parts[len(parts)-1]
}

// adjusted returns a name with the extension of a media type.
func adjusted(name, mediaType string) string {
	low := strings.ToLower(name)
	mediaType, _, _ = strings.Cut(mediaType, ";")
	mediaType = strings.ToLower(strings.TrimSpace(mediaType))
	for _, a := range adjustments {
		if mediaType == a.mediaType && !slices.Contains(a.ends, path.Ext(low)) {
			return name + a.ends[0]
		}
	}
	return name
}

// adjustments lists media types that browsers derive from the extension of a file, with their
// extensions. The first extension is added to a name without any of them.
var adjustments = []struct {
	mediaType string
	ends      []string
}{
	{"text/html", []string{".html", ".htm"}},
	{"application/xhtml+xml", []string{".xhtml", ".xht"}},
	{"text/css", []string{".css"}},
	{"image/svg+xml", []string{".svg"}},
}

// names assigns a unique path to each URL. It stores a hash of each.
type names struct {
	mu    sync.Mutex
	seed  maphash.Seed
	fold  bool
	taken map[uint64]crawl.ID // crawl.None marks a directory
	dirs  map[string]string   // directories whose path differs from the preferred one
	next  map[uint64]int      // by a path that is taken: the next number to try
}

func newNames(fold bool) *names {
	return &names{seed: maphash.MakeSeed(), fold: fold, taken: make(map[uint64]crawl.ID), dirs: make(map[string]string), next: make(map[uint64]int)}
}

func (n *names) hash(name string) uint64 {
	if n.fold {
		name = strings.ToLower(name)
	}
	return maphash.String(n.seed, name)
}

// keep records the path of a URL, and its preferred path.
func (n *names) keep(id crawl.ID, wanted, has string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.taken[n.hash(has)] = id
	alike := strings.Count(wanted, "/") == strings.Count(has, "/") // with unchanged settings
	for {
		wanted, has = path.Dir(wanted), path.Dir(has)
		if has == "." {
			return
		}
		n.taken[n.hash(has)] = crawl.None
		if alike && path.Base(wanted) != path.Base(has) {
			n.dirs[wanted] = has
		}
	}
}

// give returns a path for the file of a URL: the wanted one, or a similar one that is free.
func (n *names) give(id crawl.ID, wanted string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := n.free(path.Join(n.directory(path.Dir(wanted)), path.Base(wanted)), id)
	n.taken[n.hash(name)] = id
	return name
}

// free returns a path, or one with a number, that is free or belongs to id.
func (n *names) free(wanted string, id crawl.ID) string {
	key := n.hash(wanted)
	for i := 0; ; i++ {
		name := numbered(wanted, i)
		if owner, taken := n.taken[n.hash(name)]; !taken || owner == id {
			if i > 0 {
				n.next[key] = i + 1
			}
			return name
		}
		if i == 0 {
			i = max(n.next[key]-1, 0)
		}
	}
}

// directory returns the path of a directory.
func (n *names) directory(wanted string) string {
	if wanted == "." {
		return wanted
	}
	if has, ok := n.dirs[wanted]; ok {
		return has
	}
	above := n.directory(path.Dir(wanted))
	own := path.Join(above, path.Base(wanted))
	name := n.free(own, crawl.None) // other URLs may have the same directory
	n.taken[n.hash(name)] = crawl.None
	if name != own {
		n.dirs[wanted] = name
	}
	return name
}

// owner returns the URL with a path.
func (n *names) owner(name string) (crawl.ID, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	id, ok := n.taken[n.hash(name)]
	return id, ok && id != crawl.None
}

// numbered returns the path with a number before its extension.
func numbered(name string, i int) string {
	if i == 0 {
		return name
	}
	ext := path.Ext(name)
	if ext == path.Base(name) || len(ext) > 6 {
		ext = ""
	}
	return fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), i, ext)
}
