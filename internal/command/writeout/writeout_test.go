package writeout

import (
	"strings"
	"testing"
)

// values have the name of each variable as its value, in brackets.
var values = Values{
	Variable: func(name string) string { return "[" + name + "]" },
	Header:   func(name string) string { return "<" + name + ">" },
}

// written returns the text that a format writes to standard output and to standard error.
func written(f Format, v Values) (stdout, stderr string) {
	for _, p := range f.Expand(v) {
		if p.Stderr {
			stderr += p.Text
		} else {
			stdout += p.Text
		}
	}
	return stdout, stderr
}

func TestFormat(t *testing.T) {
	failed := values
	failed.Failed = true
	for _, c := range []struct {
		format, stdout, stderr string
		v                      Values
	}{
		{"", "", "", values},
		{"plain, {braces} and }", "plain, {braces} and }", "", values},
		{`%{http_code}\n`, "[http_code]\n", "", values},
		{`a\tb\rc\n`, "a\tb\rc\n", "", values},
		{`\q \\n \`, `\q \\n \`, "", values},
		{"100%% %d %", "100% %d %", "", values},
		{"%%{url}", "%{url}", "", values},
		{"%header{ETag};%header", "<ETag>;%header", "", values},
		{"a%{stderr}b%{stdout}c", "ac", "b", values},
		{"a%{onerror}b%{stderr}c", "a", "", values},
		{"a%{onerror}b%{stderr}c", "ab", "c", failed},
	} {
		f, err := Parse(c.format)
		if err != nil {
			t.Errorf("%q: %v", c.format, err)
			continue
		}
		if stdout, stderr := written(f, c.v); stdout != c.stdout || stderr != c.stderr {
			t.Errorf("%q: %q and %q, want %q and %q", c.format, stdout, stderr, c.stdout, c.stderr)
		}
		if f.IsZero() != (c.format == "") || f.Has("http_code") != strings.Contains(c.format, "%{http_code}") {
			t.Errorf("%q is %v", c.format, f)
		}
	}
}

func TestFormatRefused(t *testing.T) {
	for format, want := range map[string]string{
		"%{http_cod}":      `there is no variable "http_cod": did you mean %{http_code} ?`,
		"%{size_upload}":   `there is no variable "size_upload"`,
		"%{}":              `there is no variable ""`,
		"%{URL}":           `there is no variable "URL"`,
		"x %{url":          `"%{url" has no end: a } is missing`,
		"%header{":         `"%header{" has no end: a } is missing`,
		"%header{}":        "%header{} names no field",
		"%output{f}%{url}": "there is no %output{}: %{stderr} and %{stdout} say where the text goes",
	} {
		if _, err := Parse(format); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", format, err, want)
		}
	}
}

// FuzzFormat: text without variables stays as it is, and no format causes a panic.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"", "a", `%{url}\n`, "%{", "%header{x}%{stderr}", `%%{\`, "%{onerror}%output{x}", "\xff%\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if format, err := Parse(text); err == nil {
			for _, p := range format.Expand(values) {
				if p.Given && p.Text != "\n" && p.Text != "\t" && p.Text != "\r" && !strings.Contains(text, p.Text) {
					t.Errorf("%q: %q stands not in the format", text, p.Text)
				}
			}
		}
		if strings.Contains(text, `\`) {
			return
		}
		format, err := Parse(strings.ReplaceAll(text, "%", "%%"))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if stdout, stderr := written(format, values); stdout != text || stderr != "" {
			t.Errorf("%q becomes %q and %q", text, stdout, stderr)
		}
	})
}
