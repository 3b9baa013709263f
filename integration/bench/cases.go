package main

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/servers"
)

// A benchCase is a thing to do, and how each tool does it.
type benchCase struct {
	name, what string
	prepare    func(work string) (scene, error)
	size       int64                   // of the files that a tool writes into work/out, in bytes
	check      func(work string) error // checks these files
	tools      []tool                  // ours is the first

	// estimate returns about how long a tool takes over a line; nil on loopback. Cases with
	// an estimate have no round that does not count.
	estimate func(tool string) time.Duration
}

// casesOf returns the cases, with large files of a size. A gopher server of ours is at a
// URL: gophernicus sends in pieces of 4 KiB, for which all clients wait.
func casesOf(large int64, gopher string) []benchCase {
	return append([]benchCase{
		single("http", large, servers.URL("nginx")+"/pub/"+single1, curl, wget, wget2, aria2, axel, bareSplice, bareCopy),
		single("https", large, secure("nginx")+"/pub/"+single1, curl, wget, wget2, aria2),
		single("ftp", large, servers.URL("vsftpd")+"/"+single1, curl, wget, aria2, lftp, bareSplice, bareCopy),
		single("tftp", 100<<20, servers.URL("atftpd")+"/"+single1, curl, curlBlocks),
		single("gopher", 500_000_000, servers.URL("gophernicus")+"/9/"+single1, curl, bareSplice),
		single("gopher-own", 500_000_000, gopher+"/9/"+single1, curl, bareSplice, bareCopy),
		single("held", 64<<20, servers.URL("nginx")+"/held/"+single1, fetch4, aria2x4, axel4),
		mirrored(64<<20, servers.URL("nginx")+"/held/"+single1, byName(secure("nginx"))+"/held/"+single1),
		through("gateway", large, servers.URL("vsftpd")+"/"+single1),
		through("gateway-first", 1<<10, servers.URL("vsftpd")+"/"+single1),
		copying(large),
		starting(),
		many("http", 10_000, "nginx", "/pub/"),
		many("ftp", 2000, "vsftpd", "/"),
		siteTree(20_000),
		fileTree(500, 10, false),
		fileTree(500, 10, true),
	}, lineCases()...)
}

// choose returns the cases that have one of the names, in which "*" stands for anything,
// and "line" for the brief ones. Without names it returns those on loopback.
func choose(cases []benchCase, names []string) (chosen []benchCase, err error) {
	unknown := slices.Clone(names)
	for _, c := range cases {
		take := len(names) == 0 && c.estimate == nil
		for _, name := range names {
			ok, err := path.Match(name, c.name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if ok || name == "line" && slices.Contains(brief, c.name) {
				take = true
				unknown = slices.DeleteFunc(unknown, func(n string) bool { return n == name })
			}
		}
		if take {
			chosen = append(chosen, c)
		}
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("no case is called %s; -list names them", strings.Join(unknown, ", "))
	}
	return chosen, nil
}

// only removes the tools whose name no pattern of a list matches, but never ours.
func (c *benchCase) only(patterns string) error {
	if patterns == "" {
		return nil
	}
	var kept []tool
	for i, t := range c.tools {
		take := i == 0
		for pattern := range strings.SplitSeq(patterns, ",") {
			ok, err := path.Match(pattern, t.name)
			if err != nil {
				return fmt.Errorf("%s: %w", pattern, err)
			}
			take = take || ok
		}
		if take {
			kept = append(kept, t)
		}
	}
	c.tools = kept
	return nil
}

// against adds, after each tool that is ours, the same of another build.
func (c *benchCase) against(build string) {
	if build == "" {
		return
	}
	var all []tool
	for _, t := range c.tools {
		all = append(all, t)
		if program, rest, _ := strings.Cut(t.name, " "); program == "fetch" {
			t.name, t.path = strings.TrimSpace("fetch (before) "+rest), build
			all = append(all, t)
		}
	}
	c.tools = all
}

// duration returns about how long a case takes; 0 on loopback.
func (c *benchCase) duration(runs int) (total time.Duration) {
	if c.estimate == nil {
		return 0
	}
	for _, t := range c.tools {
		total += time.Duration(runs) * (c.estimate(strings.Replace(t.name, "fetch (before)", "fetch", 1)) + 200*time.Millisecond)
	}
	return total + 2*time.Second
}

// byName returns a URL of this machine by its name, for peers that count connections by
// host.
func byName(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// secure returns where a server is by https.
func secure(name string) string {
	s, _ := servers.Find(name)
	return "https://" + s.Addr("https")
}

// kib returns a number of bytes as text.
func kib(n int64) string {
	switch {
	case n%(1<<30) == 0:
		return fmt.Sprintf("%d GiB", n>>30)
	case n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
