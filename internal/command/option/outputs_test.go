package option

import (
	"strings"
	"testing"
)

// Each -o is for a URL, and the last one, if it is a template, for all others.
func TestOutputs(t *testing.T) {
	for line, want := range map[string]string{
		"-o a http://h/":                                   "",
		"-o a http://h/1 http://h/2":                       "",
		"-o a -o b http://h/1":                             "more -o than URLs",
		"-o a -i list":                                     "more -o than URLs",
		"-o {name} -i list":                                "",
		"-o a -o {name} -i list http://h/":                 "",
		"-o a -o {name} http://h/":                         "more -o than URLs",
		"-o {name} -o a -i list http://h/":                 "more -o than URLs",
		"-o {name} -o b -o {name} -i list http://h/":       "more -o than URLs",
		"-o a -o ./a http://h/1 http://h/2":                "-o ./a given twice: each URL needs its own",
		"-o {name} -o {name} http://h/1 http://h/2":        "",
		"-o {{name} -o {{name} http://h/1 http://h/2":      "-o {name} given twice: each URL needs its own",
		"-o - -o - http://h/1 http://h/2":                  "",
		"-o a http://h/[1-2]":                              "",
		"--glob -o a http://h/[1-2]":                       "-o a is one name for 2 URLs: #1 in it is the value of the first glob",
		"--glob -o a#2 http://h/[1-2]":                     "-o a#2 is one name for 2 URLs: #1 in it is the value of the first glob",
		"--glob -o a#1 http://h/[1-2]":                     "",
		"--glob -o a http://h/{x}":                         "",
		"--glob -o - http://h/[1-2]":                       "",
		"--glob -o {n} http://h/[1-2]":                     "",
		"--glob -o a#1 -o a#1 http://h/[1-2] http://h/{x}": "",
		"-o {{hsts} --hsts {hsts} http://h/":               "",
		"-o {{host} --hsts {host} http://h/":               "-o and --hsts name the same file: {host}",
		"-o {host} --hsts {host} http://h/":                "",
		"-o {name} --create-dirs --etag-save e http://h/":  "",
	} {
		_, err := parse("get", strings.Fields(line)...)
		if want == "" && err != nil || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
