package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// pageLinks is how many pages a page of the site links to.
const pageLinks = 100

// siteTree is the case of a site with a number of pages of 8 KiB at one host, which are found by links.
func siteTree(count int) benchCase {
	base := servers.URL("nginx") + "/pub/site/"
	return benchCase{
		name: "mirror-http", what: fmt.Sprintf("a site of %d pages of %s by its links", count, kib(manySize)),
		prepare: func(work string) (scene, error) {
			root := filepath.Join(servers.Root(servers.Dir()), "site")
			return scene{clean: func() { os.RemoveAll(root) }}, writeSite(root, count)
		},
		size:  int64(count) * manySize,
		check: func(work string) error { return checkTree(work, ".html", count) },
		tools: siteTools(base),
	}
}

// siteTools are those that copy a site; trust is for each one.
func siteTools(base string, trust ...string) []tool {
	wget := append(slices.Clone(trust), "-q", "-m", "-np", "-nH", "-P", "out", base)
	return []tool{
		command("fetch mirror", mirrorArgs(trust, base)...),
		command("wget2 -m", wget...),
		command("wget -m", wget...),
	}
}

func mirrorArgs(trust []string, base string) []string {
	args := []string{"mirror", "-s"}
	if len(trust) > 0 {
		args = append(args, "--cacert="+caFile)
	}
	return append(args, "-np", "-nH", base, "out")
}

// writeSite makes an index, pages that it links to, and pages that these link to.
func writeSite(root string, count int) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	for i := range count {
		name := fmt.Sprintf("p%d.html", i)
		if i == 0 {
			name = "index.html"
		}
		var b strings.Builder
		fmt.Fprintf(&b, "<!DOCTYPE html><title>Page %d</title><p><a href=\"index.html\">top</a>\n", i)
		for j := i*pageLinks + 1; j <= (i+1)*pageLinks && j < count; j++ {
			fmt.Fprintf(&b, "<li><a href=\"p%d.html\">page %d</a>\n", j, j)
		}
		for b.Len() < manySize-1 {
			b.WriteString("text of no meaning "[:min(19, manySize-1-b.Len())])
		}
		b.WriteString("\n")
		if err := os.WriteFile(filepath.Join(root, name), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fileTree is the case of a tree of files in directories, by its listings. If again, the copy is there.
func fileTree(dirs, files int, again bool) benchCase {
	base := servers.URL("vsftpd") + "/tree/"
	c := benchCase{
		name: "mirror-ftp", what: fmt.Sprintf("%d files of 1 KiB in %d directories by their listings", dirs*files, dirs),
		prepare: func(work string) (scene, error) {
			root := filepath.Join(servers.Root(servers.Dir()), "tree")
			return scene{clean: func() { os.RemoveAll(root) }}, writeFiles(root, dirs, files)
		},
		size:  int64(dirs*files) << 10,
		check: func(work string) error { return checkTree(work, ".txt", dirs*files) },
		tools: []tool{
			command("fetch mirror", "mirror", "-s", "-nH", base, "out"),
			command("lftp mirror -P 4", "-c", "open "+servers.Addr("vsftpd")+"; mirror -P 4 /tree out"),
		},
	}
	if again {
		c.name, c.what = "mirror-ftp-again", c.what+", of which nothing has changed"
		for i := range c.tools {
			c.tools[i].twice = true
		}
	}
	return c
}

// writeFiles makes the files. They are old, as those of an archive are.
func writeFiles(root string, dirs, files int) error {
	old := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	for d := range dirs {
		dir := filepath.Join(root, fmt.Sprintf("d%d", d))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		for f := range files {
			name := filepath.Join(dir, fmt.Sprintf("f%d.txt", f))
			text := strings.Repeat(fmt.Sprintf("%7d\n", d*files+f), 128)
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				return err
			}
			if err := os.Chtimes(name, old, old); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTree counts the files of a copy.
func checkTree(work, end string, want int) error {
	n := 0
	err := filepath.WalkDir(filepath.Join(work, "out"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(name, end) {
			n++
		}
		return err
	})
	if err == nil && n != want {
		err = fmt.Errorf("%d files came, not %d", n, want)
	}
	return err
}

// lineTree is the case of a site over a line, by https.
func lineTree(name string, o line.Options, count int) benchCase {
	base := "https://" + line.FarAddr + "/site/"
	return benchCase{
		name: name, what: fmt.Sprintf("a site of %d pages of %s by its links and https over %s", count, kib(manySize), describe(o)),
		prepare: func(work string) (scene, error) {
			return overLine(work, o, func(root string) error { return writeSite(filepath.Join(root, "site"), count) })
		},
		size:     int64(count) * manySize,
		check:    func(work string) error { return checkTree(work, ".html", count) },
		tools:    siteTools(base, "--ca-certificate="+caFile),
		estimate: func(string) time.Duration { return timeOf(o, float64(count)*manySize, 1, 0) },
	}
}
