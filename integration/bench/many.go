package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

const manySize = 8 << 10

// many is the case of many small files in one directory of a server.
func many(scheme string, count int, server, below string) benchCase {
	c := benchCase{
		name: scheme + "-many", what: fmt.Sprintf("%d files of %s over %s", count, kib(manySize), scheme),
		prepare: func(work string) (scene, error) { return prepareMany(work, count, servers.URL(server)+below) },
		size:    int64(count) * manySize,
		check:   func(work string) error { return checkMany(work, count) },
		tools: []tool{
			command("fetch", "-i", "fetch.list"),
			command("fetch -j 1", "-j", "1", "-i", "fetch.list"),
			command("curl", "-s", "-K", "curl.config"),
			command("curl -Z", "-s", "-Z", "--parallel-max", "4", "-K", "curl.config"),
		},
	}
	if scheme == "ftp" {
		open := "open " + servers.Addr(server)
		c.tools = append(c.tools,
			command("lftp", "-c", open+"; source lftp.commands"),
			command("lftp -P 4", "-c", open+"; mget -P 4 -O out many/*"))
	} else {
		c.tools = append(c.tools,
			command("wget2", "-q", "--max-threads=4", "-P", "out", "-i", "urls"),
			command("aria2c", "-q", "-j4", "--file-allocation=none", "-d", "out", "-i", "urls"),
			command("bench -bare files", "-bare", "files", "fetch.list"))
	}
	return c
}

// prepareMany makes the files where the servers have theirs.
func prepareMany(work string, count int, base string) (scene, error) {
	root := servers.Root(servers.Dir())
	s := scene{clean: func() { os.RemoveAll(filepath.Join(root, "many")) }}
	err := writeMany(work, root, count, base)
	if err != nil {
		s.clean()
	}
	return s, err
}

// writeMany makes the files, in the directory many of a server, and the lists of them that
// each tool understands.
func writeMany(work, root string, count int, base string) error {
	dir := filepath.Join(root, "many")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	var list, config, commands, urls strings.Builder
	for i := range count {
		name := fmt.Sprintf("f%d", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(name, manySize/len(name))), 0o644); err != nil {
			return err
		}
		url := base + "many/" + name
		fmt.Fprintf(&list, "%s\tout=out/%s\n", url, name)
		fmt.Fprintf(&config, "url = %q\noutput = \"out/%s\"\n", url, name)
		fmt.Fprintf(&commands, "get -O out many/%s\n", name)
		fmt.Fprintln(&urls, url)
	}
	for name, text := range map[string]string{
		"fetch.list": list.String(), "curl.config": config.String(), "lftp.commands": commands.String(), "urls": urls.String(),
	} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func checkMany(work string, want int) error {
	got, err := os.ReadDir(filepath.Join(work, "out"))
	if err == nil && len(got) != want {
		err = fmt.Errorf("%d files came, not %d", len(got), want)
	}
	return err
}
