package option

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// mirrorVerb is the verb that the rows of trees are for. Its letters are those of wget.
const mirrorVerb = "mirror"

var trees = []Flag{
	{
		Name: "level", Short: "l", Value: "N", Help: "follow links to a depth of N; 0 or inf is any depth (default)",
		Verbs: mirrorVerb, Example: "2",
		bind: func(o *Options) value { return (*depth)(&o.Tree.Level) },
	}, {
		Name: "no-parent", Help: "stay in the directory of a URL and below; -np is the same",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.NoParent) },
	}, {
		Name: "accept", Short: "A", Value: "LIST", Help: "keep only files with these names: ends such as .pdf, or patterns with * ? [, with commas between",
		Verbs: mirrorVerb, Example: ".pdf,*.txt",
		bind: func(o *Options) value { return (*commas)(&o.Tree.Accept) },
	}, {
		Name: "reject", Short: "R", Value: "LIST", Help: "keep no files with these names, as --accept has them",
		Verbs: mirrorVerb, Example: ".iso",
		bind: func(o *Options) value { return (*commas)(&o.Tree.Reject) },
	}, {
		Name: "accept-regex", Value: "REGEX", Help: "request only URLs that match REGEX",
		Verbs: mirrorVerb, Example: "/20[0-9]+/",
		bind: func(o *Options) value { return &expression{&o.Tree.AcceptRegex} },
	}, {
		Name: "reject-regex", Value: "REGEX", Help: "request no URL that matches REGEX",
		Verbs: mirrorVerb, Example: "sort=",
		bind: func(o *Options) value { return &expression{&o.Tree.RejectRegex} },
	}, {
		Name: "domains", Short: "D", Value: "LIST", Help: "follow links to these hosts too, and to those below them",
		Verbs: mirrorVerb, Example: "example.org",
		bind: func(o *Options) value { return (*commas)(&o.Tree.Domains) },
	}, {
		Name: "exclude-domains", Value: "LIST", Help: "never follow links to these hosts, or those below them",
		Verbs: mirrorVerb, Example: "example.org",
		bind: func(o *Options) value { return (*commas)(&o.Tree.ExcludeDomains) },
	}, {
		Name: "span-hosts", Short: "H", Help: "follow links to any host",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.SpanHosts) },
	}, {
		Name: "page-requisites", Short: "p", Help: "fetch the images, style sheets and scripts of a page, from any host",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.PageRequisites) },
	}, {
		Name: "sitemap", Help: "begin at the sitemaps that robots.txt names too",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.Sitemap) },
	}, {
		Name: "robots", Value: "on|off", Help: "obey robots.txt, or ignore it (default on)",
		Verbs: crawling, Example: "off",
		bind: func(o *Options) value { return oneOf(&o.Tree.Robots, "on", "off") },
	}, {
		Name: "convert-links", Short: "k", Help: "rewrite links to the files of the mirror, or to the web if there is none",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.ConvertLinks) },
	}, {
		Name: "backup-converted", Short: "K", Help: "keep the original of a converted page, as NAME.orig",
		Verbs: mirrorVerb, Needs: "convert-links",
		bind: func(o *Options) value { return onOff(&o.Tree.BackupConverted) },
	}, {
		Name: "adjust-extension", Short: "E", Help: "add .html, .xhtml, .css or .svg to the names of pages, style sheets and drawings",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.AdjustExtension) },
	}, {
		Name: "no-host-directories", Help: "make no directory for each host; -nH is the same",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.NoHostDirectories) },
	}, {
		Name: "cut-dirs", Value: "N", Help: "leave out the first N directories of each path",
		Verbs: mirrorVerb, Example: "1",
		bind: func(o *Options) value { return atLeast(0, &o.Tree.CutDirs) },
	}, {
		Name: "wait", Short: "w", Value: "SECONDS", Help: "wait SECONDS between two requests to a host, or longer if the host requires that",
		Verbs: crawling, Example: "1",
		bind: func(o *Options) value { return inSeconds(&o.Tree.Wait) },
	}, {
		Name: "random-wait", Help: "vary --wait by up to half of it",
		Verbs: crawling, Needs: "wait",
		bind: func(o *Options) value { return onOff(&o.Tree.RandomWait) },
	}, {
		Name: "quota", Short: "Q", Value: "N", Help: "end after N bytes of files; k, M and G are understood; the next run goes on",
		Verbs: mirrorVerb, Example: "10M",
		bind: func(o *Options) value { return inBytes(&o.Tree.Quota) },
	}, {
		Name: "delete", Help: "delete files that the server no longer has, if that is proved",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.Delete) },
	}, {
		Name: "max-delete", Value: "N|N%", Help: "delete nothing, and exit with 122, if more than N files would be deleted, or N in a hundred",
		Verbs: mirrorVerb, Needs: "delete", Example: "10%",
		bind: func(o *Options) value { return &o.Tree.MaxDelete },
	}, {
		Name: "spider", Help: "keep no files, and report broken links",
		Verbs: mirrorVerb, Not: []Conflict{{Flags: "delete convert-links", Why: "nothing is kept"}},
		bind: func(o *Options) value { return onOff(&o.Tree.Spider) },
	}, {
		Name: "changes", Help: "print which files were added or changed, are gone, or may be gone",
		Verbs: mirrorVerb,
		bind:  func(o *Options) value { return onOff(&o.Tree.Changes) },
	}, {
		Name: "why", Value: "URL", Help: "print whether URL belongs to the mirror, why, and its state; contact no server",
		Verbs: mirrorVerb, Example: "http://h.example/",
		bind: func(o *Options) value { return text(&o.Tree.Why) },
	},
}

// A depth is a number of links, or "inf", which is 0.
type depth int

func (d *depth) String() string { return strconv.Itoa(int(*d)) }

func (d *depth) Type() string { return "depth" }

func (d *depth) Set(text string) error {
	if text == "inf" {
		*d = 0
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return errors.New("neither a number nor inf")
	}
	*d = depth(n)
	return nil
}

// commas are texts with commas between them, to which each value adds.
type commas []string

func (c *commas) String() string { return strings.Join(*c, ",") }

func (c *commas) Type() string { return "words" }

func (c *commas) Set(text string) error {
	before := len(*c)
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			*c = append(*c, word)
		}
	}
	if len(*c) == before {
		return errors.New("there is nothing in it")
	}
	return nil
}

// An expression is a regular expression.
type expression struct{ to **regexp.Regexp }

func (e *expression) String() string {
	if *e.to == nil {
		return ""
	}
	return (*e.to).String()
}

func (e *expression) Type() string { return "expression" }

func (e *expression) Set(text string) (err error) {
	*e.to, err = regexp.Compile(text)
	return err
}

// A Share is a number of files, or a part of all of them in hundredths.
type Share struct {
	Given   bool
	N       int
	Percent bool
}

func (s *Share) String() string {
	switch {
	case !s.Given:
		return ""
	case s.Percent:
		return strconv.Itoa(s.N) + "%"
	}
	return strconv.Itoa(s.N)
}

// Type returns the name of the type for pflag.
func (s *Share) Type() string { return "share" }

// Set reads N or N%.
func (s *Share) Set(text string) error {
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || percent && n > 100 {
		return errors.New("neither a number of files nor N%")
	}
	*s = Share{true, int(n), percent}
	return nil
}
