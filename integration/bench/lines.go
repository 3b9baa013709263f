package main

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed1ea3422f/fetch/integration/internal/line"
)

// The lines, and the ways in which both ends control congestion.
var (
	lines = []struct {
		name string
		line.Options
	}{
		{"20mbit-20ms", line.Options{Mbit: 20, RTT: 20 * time.Millisecond}},
		{"100mbit-40ms", line.Options{Mbit: 100, RTT: 40 * time.Millisecond}},
		{"100mbit-80ms-loss", line.Options{Mbit: 100, RTT: 80 * time.Millisecond, Loss: 0.005}},
		{"1gbit-10ms", line.Options{Mbit: 1000, RTT: 10 * time.Millisecond}},
	}
	controls = []string{"reno", "cubic", "bbr"}
)

// brief are the cases that "line" stands for: the most common lines, a lossy one, and
// many small files.
var brief = []string{
	"line-100mbit-40ms-reno-http-20m",
	"line-100mbit-40ms-cubic-http-20m",
	"line-100mbit-40ms-bbr-http-20m",
	"line-100mbit-40ms-cubic-https-20m",
	"line-100mbit-80ms-loss-bbr-http-20m",
	"line-1gbit-10ms-cubic-http-20m",
	"line-1gbit-10ms-bbr-http-100m",
	"line-100mbit-40ms-cubic-held-20m",
	"line-100mbit-40ms-cubic-http-200",
	"line-100mbit-40ms-cubic-https-200",
	"line-100mbit-40ms-cubic-ftp-200",
}

// lineCases returns the cases of all lines.
func lineCases() (cases []benchCase) {
	for _, l := range lines {
		for _, control := range controls {
			o := l.Options
			o.Control = control
			name := "line-" + l.name + "-" + control + "-"
			for _, scheme := range []string{"http", "https"} {
				for _, mib := range []int64{20, 100} {
					cases = append(cases, lineSingle(fmt.Sprintf("%s%s-%dm", name, scheme, mib), o, scheme, "/", mib<<20, 0))
				}
			}
		}
	}
	o := lines[1].Options
	o.Control = "cubic"
	name := "line-" + lines[1].name + "-cubic-"
	cases = append(cases, lineSingle(name+"held-20m", o, "http", heldPath, 20<<20, heldRate))
	for _, count := range []int{200, 5000} {
		for _, scheme := range []string{"http", "https"} {
			cases = append(cases, lineMany(fmt.Sprintf("%s%s-%d", name, scheme, count), o, scheme, count))
		}
	}
	return append(cases, lineMany(name+"ftp-200", o, "ftp", 200), lineSFTP(name+"sftp-20m", o, 20<<20), lineSFTP(name+"sftp-100m", o, 100<<20), lineTree(name+"mirror-https", o, 20_000))
}

// describe returns a line in words.
func describe(o line.Options) string {
	text := fmt.Sprintf("%g Mbit/s, %v", o.Mbit, o.RTT)
	if o.Loss > 0 {
		text += fmt.Sprintf(", %g %% lost", o.Loss*100)
	}
	return text + ", " + o.Control
}

// lineSingle is the case of one file. Unless rate is 0, each connection is limited to that many
// bytes a second.
func lineSingle(name string, o line.Options, scheme, path string, size int64, held float64) benchCase {
	url := scheme + "://" + line.FarAddr + path + single1
	trust := func(flag string, more ...string) []string {
		if scheme != "https" {
			return more
		}
		return append([]string{flag + caFile}, more...)
	}
	axel := command("axel -n 4", "-q", "-n", "4", "-o", outBig, url)
	if scheme == "https" {
		axel = command("axel -n 4", "-q", "-k", "-n", "4", "-o", outBig, url) // it takes no authorities
	}
	c := benchCase{
		name: name, what: fmt.Sprintf("one file of %s by %s%s over %s", kib(size), scheme, heldTo(held), describe(o)),
		prepare: func(work string) (scene, error) {
			return overLine(work, o, func(root string) error {
				_, err := fill(filepath.Join(root, single1), size)
				return err
			}, webServers(work)...)
		},
		size:  size,
		check: func(work string) error { return checkSize(work, size) },
		tools: []tool{
			command("fetch", trust("--cacert=", "-o", outBig, url)...),
			command("fetch --segments 1", trust("--cacert=", "--segments", "1", "-o", outBig, url)...),
			command("curl", append(curlTrust(scheme), "-s", "-o", outBig, url)...),
			command("wget2", trust("--ca-certificate=", "-q", "-O", outBig, url)...),
			command("aria2c -x4", trust("--ca-certificate=", "-q", "-x4", "-s4", "-k1M", "-o", outBig, url)...),
			command("aria2c -x16", trust("--ca-certificate=", "-q", "-x16", "-s16", "-k1M", "-o", outBig, url)...),
			axel,
		},
	}
	connections := map[string]float64{"fetch": 4, "aria2c -x4": 4, "axel -n 4": 4, "aria2c -x16": 16}
	c.estimate = func(tool string) time.Duration {
		return timeOf(o, float64(size), max(1, connections[tool]), held)
	}
	return c
}

func heldTo(rate float64) string {
	if rate == 0 {
		return ""
	}
	return fmt.Sprintf(", %s a second for each connection,", kib(int64(rate)))
}

func curlTrust(scheme string) []string {
	if scheme == "https" {
		return []string{"--cacert", caFile}
	}
	return nil
}

// timeOf returns about how long so many bytes take over a number of connections. With
// reno and cubic, one connection over a line that loses packets carries 1.22 packets for
// each round trip and the root of the share (Mathis et al., 1997).
func timeOf(o line.Options, size, connections, held float64) time.Duration {
	rate := o.Mbit * 1e6 / 8 * 0.95
	if o.Loss > 0 && o.Control != "bbr" {
		rate = min(rate, connections*1448*1.22/(o.RTT.Seconds()*math.Sqrt(o.Loss)))
	}
	if held > 0 {
		rate = min(rate, connections*held)
	}
	return time.Duration(size/rate*float64(time.Second)) + 10*o.RTT
}

// lineMany is the case of many small files in one directory.
func lineMany(name string, o line.Options, scheme string, count int) benchCase {
	base := scheme + "://" + line.FarAddr + "/"
	trust := func(flag string) []string {
		if scheme != "https" {
			return nil
		}
		return []string{flag + caFile}
	}
	curlZ := func(name string, more ...string) tool {
		return command(name, slices.Concat(curlTrust(scheme), []string{"-s", "-Z"}, more, []string{"-K", "curl.config"})...)
	}
	c := benchCase{
		name: name, what: fmt.Sprintf("%d files of %s by %s over %s", count, kib(manySize), scheme, describe(o)),
		prepare: func(work string) (scene, error) {
			return overLine(work, o, func(root string) error { return writeMany(work, root, count, base) }, webServers(work)...)
		},
		size:  int64(count) * manySize,
		check: func(work string) error { return checkMany(work, count) },
		tools: []tool{command("fetch", append(trust("--cacert="), "-i", "fetch.list")...), curlZ("curl -Z --parallel-max 4", "--parallel-max", "4")},
	}
	if scheme == "ftp" {
		c.tools = append(c.tools, command("lftp -P 4", "-c", "open "+line.FarAddr+"; mget -P 4 -O out many/*"))
	} else {
		c.tools = append(c.tools, curlZ("curl -Z"), command("wget2", append(trust("--ca-certificate="), "-q", "-P", "out", "-i", "urls")...))
	}
	trips := 1.0
	if scheme == "ftp" {
		trips = 6
	}
	c.estimate = func(string) time.Duration {
		return time.Duration(float64(count) / 4 * trips * float64(o.RTT+5*time.Millisecond))
	}
	return c
}
