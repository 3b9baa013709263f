package option

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/record"
)

// The error for a mistyped flag proposes the flag that is most like it.
func TestMistyped(t *testing.T) {
	for line, want := range map[string]string{
		"--retri=1":       "unknown flag: --retri: did you mean --retry ?",
		"--useragent=x":   "unknown flag: --useragent: did you mean --user-agent ?",
		"--max-redir=1":   "unknown flag: --max-redir: did you mean --max-redirs ?",
		"--ipv5":          "unknown flag: --ipv5: did you mean --ipv4 ?", // of those as near, the first by name
		"--xyzzyx":        "unknown flag: --xyzzyx; try fetch --help",
		"-W":              "unknown shorthand flag: 'W' in -W; try fetch --help",
		"--retry=x":       "--retry: not a number from 0 on: \"x\"; try fetch --help",
		"-m x":            "-m: not a number of seconds: \"x\"; try fetch --help",
		"-m 1:30":         "-m: not a number of seconds: \"1:30\"; try fetch --help",
		"-j 0":            "-j: not a number from 1 on: \"0\"; try fetch --help",
		"--max-hits=9999": "--max-hits: not a number from 1 to 5000: \"9999\"; try fetch --help",
		"--progress=x":    "--progress: not one of auto, bar, plain, none: \"x\"; try fetch --help",
		"--proto=xyz":     "--proto: no scheme \"xyz\": fetch schemes lists them; try fetch --help",
		"-C x":            "-C: neither - nor a number of bytes: \"x\"; try fetch --help",
		"-z x":            "-z: neither a date nor a file: \"x\"; try fetch --help",
		"-Y 9999999T":     "-Y: too many bytes; try fetch --help",
	} {
		_, err := parse("get", append(strings.Fields(line), somewhere)...)
		if _, usage := err.(record.UsageError); !usage || err.Error() != want {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
	}
	if _, err := parse("ls", "-W", somewhere); err == nil || !strings.HasSuffix(err.Error(), "; try fetch ls --help") {
		t.Errorf("ls -W: %v", err)
	}
}

// No error for a mistyped flag has the password of a login in it.
func TestMistypedHidesPasswords(t *testing.T) {
	for _, line := range []string{
		"-Wjoe:s3cret x", "-jujoe:s3cret x", "-j ujoe:s3cret x", "-m joe:s3cret x", "-I=joe:s3cret x", "--head=joe:s3cret x", "--head=joe:s3cret＠h x",
		"--=joe:s3cret x", "---joe:s3cret x", "--usr:joe:s3cret x", "--usr=joe:s3cret x", "--xyz:joe:s3cret x", "--resolv=http://joe:s3cret@h/ x", "--retry=http://joe:s3cret@h/ x",
	} {
		if _, err := parse("get", strings.Fields(line)...); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// In the list of processes, the passwords of arguments are masked, and nothing else is.
func TestConcealed(t *testing.T) {
	for _, c := range []struct{ args, want []string }{
		{[]string{"--cert", "joe:s3cret", "http://h/"}, []string{"--cert", "joe:***", "http://h/"}},
		{[]string{"--cert=a:s3:cret"}, []string{"--cert=a:***"}},
		{[]string{"--cert", "joe.pem", "--key", "joe.key"}, []string{"--cert", "joe.pem", "--key", "joe.key"}},
		{[]string{"-vujoe:s3cret", "-u", "joe:s3cret"}, []string{"-vujoe:***", "-u", "joe:***"}},
		{[]string{"-HX-JWT:s3cret", "-H", "Accept: x"}, []string{"-HX-JWT: ***", "-H", "Accept: x"}},
		{[]string{"-b", "a=s3cret; b=s3cret", "-e", "http://h/?s3cret"}, []string{"-b", "a=***; b=***", "-e", "http://h/?***"}},
		{[]string{"-x", "http://joe:s3cret@h", "http://joe:s3cret@h/"}, []string{"-x", "http://joe:***@h", "http://joe:***@h/"}},
		{[]string{"--form", "Password=s3cret", "--", "-u", "joe"}, []string{"--form", "Password=***", "--", "-u", "joe"}},
	} {
		o := Defaults()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		Bind(flags, "get", &o)
		if got := Concealed(flags, c.args); !slices.Equal(got, c.want) {
			t.Errorf("%q is shown as %q, want %q", c.args, got, c.want)
		}
	}
}

// A trace names the flags of its run, by name, and the values of those that hold no secret.
func TestSummary(t *testing.T) {
	o, err := parse("get", "-v", "--retry", "2", "-H", "A: b", "-m1.5", "--ftp-method=nocwd", "--max-filesize=1k", "--trace=x", somewhere)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--ftp-method=nocwd", "--header=***", "--max-filesize=1024", "--max-time=1.5", "--retry=2", "--trace=***", "--verbose=true"}
	if got := o.Summary(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
