package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// single1 is the name of the file that is fetched alone, and outBig where it goes.
const (
	single1 = "single.bin"
	outBig  = "out/big"
)

// A peer is a tool, with the arguments that fetch one URL into a file.
type peer func(url string) tool

func fetchOne(url string) tool { return command("fetch", "-o", outBig, url) }
func fetch4(url string) tool {
	return command("fetch --segments 4", "--segments", "4", "-o", outBig, url)
}
func curl(url string) tool { return command("curl", "-k", "-s", "-o", outBig, url) }
func curlBlocks(url string) tool { // of the size that fetch asks for
	return command("curl --tftp-blksize 1428", "-s", "--tftp-blksize", "1428", "-o", outBig, url)
}
func wget(url string) tool {
	return command("wget", "--no-check-certificate", "-q", "-O", outBig, url)
}
func wget2(url string) tool {
	return command("wget2", "--no-check-certificate", "-q", "-O", outBig, url)
}
func lftp(url string) tool  { return command("lftp", "-c", "get "+url+" -o "+outBig) }
func axel(url string) tool  { return command("axel -n 1", "-q", "-n", "1", "-o", outBig, url) }
func axel4(url string) tool { return command("axel -n 4", "-q", "-n", "4", "-o", outBig, url) }
func aria2(url string) tool {
	return command("aria2c", "-q", "--check-certificate=false", "-o", outBig, url)
}
func aria2x4(url string) tool {
	return command("aria2c -x4", "-q", "-x4", "-s4", "-k1M", "-o", outBig, url)
}

// command returns the tool whose name begins with the program.
func command(name string, args ...string) tool {
	return tool{name: name, args: func(string) []string { return args }}
}

// single is the case of one file of a size.
func single(name string, size int64, url string, peers ...peer) benchCase {
	c := benchCase{
		name: name, what: "one file of " + kib(size) + ", " + url,
		prepare: func(string) (scene, error) {
			return fill(filepath.Join(servers.Root(servers.Dir()), single1), size)
		},
		size:  size,
		check: func(work string) error { return checkSize(work, size) },
		tools: []tool{fetchOne(url)},
	}
	if name == "https" {
		c.tools[0] = command("fetch", "-k", "-o", outBig, url)
	}
	for _, p := range peers {
		c.tools = append(c.tools, p(url))
	}
	return c
}

// mirrored is the case of one file that is in two places, each of which sends 2 MiB a
// second over a connection. Its checksum is known.
func mirrored(size int64, first, second string) benchCase {
	c := single("mirrors", size, first)
	c.what += " and " + second
	sum := sync.OnceValue(func() string {
		h := sha256.New()
		servers.Fill(h, size)
		return fmt.Sprintf("%x", h.Sum(nil))
	})
	ours := func(name string, args ...string) tool {
		return tool{name: name, args: func(string) []string {
			return append(args, "-k", "--checksum", "sha256:"+sum(), "--mirror-url", second, "-o", outBig, first)
		}}
	}
	theirs := func(name string, args ...string) tool {
		return tool{name: name, args: func(string) []string {
			return append(args, "-q", "-k1M", "--check-certificate=false", "--checksum=sha-256="+sum(), "-o", outBig, first, second)
		}}
	}
	c.tools = []tool{
		ours("fetch"), theirs("aria2c -x2 -s4", "-x2", "-s4"),
		ours("fetch --segments 2", "--segments", "2"), theirs("aria2c -x1 -s2", "-x1", "-s2"),
		command("fetch --segments 1", "--segments", "1", "-o", outBig, first),
	}
	return c
}

// copying is the case of a file on this machine.
func copying(size int64) benchCase {
	return benchCase{
		name: "file", what: "one file of " + kib(size) + " of this machine",
		prepare: func(work string) (scene, error) { return fill(filepath.Join(work, single1), size) },
		size:    size,
		check:   func(work string) error { return checkSize(work, size) },
		tools: []tool{
			{name: "fetch", args: func(work string) []string { return []string{"-o", outBig, "file://" + work + "/" + single1} }},
			command("cp", single1, outBig),
			{name: "curl", args: func(work string) []string {
				return []string{"-s", "-o", outBig, "file://" + work + "/" + single1}
			}},
		},
	}
}

// starting is the case of a tiny file, which measures the start of a tool.
func starting() benchCase {
	c := copying(1 << 10)
	c.name, c.what = "start", "1 KiB of this machine"
	return c
}

// fill makes a file of a size, which clean removes.
func fill(name string, size int64) (scene, error) {
	s := scene{clean: func() { os.Remove(name) }}
	file, err := os.Create(name)
	if err != nil {
		return s, err
	}
	if err := errors.Join(servers.Fill(file, size), file.Close()); err != nil {
		s.clean()
		return s, err
	}
	return s, nil
}

func checkSize(work string, want int64) error {
	info, err := os.Stat(filepath.Join(work, outBig))
	if err == nil && info.Size() != want {
		err = fmt.Errorf("%d bytes came, not %d", info.Size(), want)
	}
	return err
}
