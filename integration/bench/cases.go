package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed1ea3422f/fetch/integration/real/servers"
)

// A benchCase is a thing to do, and how each tool does it.
type benchCase struct {
	name, what string
	prepare    func(work string) (clean func(), err error)
	check      func(work string) error // whether work/out is what it should be
	tools      []tool                  // ours is the first
}

const (
	many     = 1000
	manySize = 8 << 10

	gopherSize = 500_000_000
)

var cases = []benchCase{
	{
		name: "ftp-many", what: fmt.Sprintf("%d files of %d KiB from one directory over FTP", many, manySize>>10),
		prepare: prepareMany,
		check:   checkMany,
		tools: []tool{
			{name: "fetch", args: func(string) []string { return []string{"-i", "fetch.list"} }},
			{name: "fetch -j 1", args: func(string) []string { return []string{"-j", "1", "-i", "fetch.list"} }},
			{name: "curl", args: func(string) []string { return []string{"-s", "-K", "curl.config"} }},
			{name: "curl -Z", args: func(string) []string {
				return []string{"-s", "-Z", "--parallel-max", "4", "-K", "curl.config"}
			}},
			{name: "lftp", args: func(string) []string {
				return []string{"-c", "open " + servers.Addr("vsftpd") + "; source lftp.commands"}
			}},
			{name: "lftp -P 4", args: func(string) []string {
				return []string{"-c", "open " + servers.Addr("vsftpd") + "; mget -P 4 -O out many/*"}
			}},
		},
	},
	{
		name: "ftp-big", what: "one file of 1 GiB over FTP",
		prepare: func(string) (func(), error) { return func() {}, needBig() },
		check:   func(work string) error { return checkSize(work, servers.SizeBig) },
		tools: []tool{
			{name: "fetch", args: func(string) []string { return []string{"-o", "out/big", servers.URL("vsftpd") + "/big.bin"} }},
			{name: "curl", args: func(string) []string {
				return []string{"-s", "-o", "out/big", servers.URL("vsftpd") + "/big.bin"}
			}},
			{name: "lftp", args: func(string) []string {
				return []string{"-c", "get " + servers.URL("vsftpd") + "/big.bin -o out/big"}
			}},
		},
	},
	{
		name: "http-big", what: "one file of 1 GiB over HTTP",
		prepare: func(string) (func(), error) { return func() {}, needBig() },
		check:   func(work string) error { return checkSize(work, servers.SizeBig) },
		tools: []tool{
			{name: "fetch", args: func(string) []string {
				return []string{"-o", "out/big", servers.URL("nginx") + "/pub/big.bin"}
			}},
			{name: "curl", args: func(string) []string {
				return []string{"-s", "-o", "out/big", servers.URL("nginx") + "/pub/big.bin"}
			}},
			{name: "wget", args: func(string) []string {
				return []string{"-q", "-O", "out/big", servers.URL("nginx") + "/pub/big.bin"}
			}},
		},
	},
	{
		name: "gopher-big", what: "one file of 500 MB over gopher",
		prepare: prepareGopher,
		check:   func(work string) error { return checkSize(work, gopherSize) },
		tools: []tool{
			{name: "fetch", args: func(string) []string {
				return []string{"-o", "out/big", servers.URL("gophernicus") + "/9/500m.bin"}
			}},
			{name: "curl", args: func(string) []string {
				return []string{"-s", "-o", "out/big", servers.URL("gophernicus") + "/9/500m.bin"}
			}},
		},
	},
}

// prepareGopher makes the file, where the server has its own.
func prepareGopher(string) (func(), error) {
	name := filepath.Join(servers.Root(servers.Dir()), "500m.bin")
	file, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	clean := func() { os.Remove(name) }
	if err := errors.Join(servers.Fill(file, gopherSize), file.Close()); err != nil {
		clean()
		return nil, err
	}
	return clean, nil
}

// prepareMany makes the files, where the servers have theirs, and the lists of
// them that each tool understands.
func prepareMany(work string) (func(), error) {
	dir := filepath.Join(servers.Root(servers.Dir()), "many")
	clean := func() { os.RemoveAll(dir) }
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	var list, config, commands strings.Builder
	for i := range many {
		name := fmt.Sprintf("f%d", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Repeat(name, manySize/len(name))), 0o644); err != nil {
			clean()
			return nil, err
		}
		url := servers.URL("vsftpd") + "/many/" + name
		fmt.Fprintf(&list, "%s\tout=out/%s\n", url, name)
		fmt.Fprintf(&config, "url = %q\noutput = \"out/%s\"\n", url, name)
		fmt.Fprintf(&commands, "get -O out many/%s\n", name)
	}
	for name, text := range map[string]string{"fetch.list": list.String(), "curl.config": config.String(), "lftp.commands": commands.String()} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(text), 0o644); err != nil {
			clean()
			return nil, err
		}
	}
	return clean, nil
}

func checkMany(work string) error {
	got, err := os.ReadDir(filepath.Join(work, "out"))
	if err == nil && len(got) != many {
		err = fmt.Errorf("%d files came, not %d", len(got), many)
	}
	return err
}

func needBig() error {
	if _, err := os.Stat(filepath.Join(servers.Root(servers.Dir()), "big.bin")); err != nil {
		return fmt.Errorf("%w; make it with: go run ./integration/real up -big", err)
	}
	return nil
}

func checkSize(work string, want int64) error {
	info, err := os.Stat(filepath.Join(work, "out", "big"))
	if err == nil && info.Size() != want {
		err = fmt.Errorf("%d bytes came, not %d", info.Size(), want)
	}
	return err
}

// empty makes a directory, or makes it empty.
func empty(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Mkdir(dir, 0o777)
}
