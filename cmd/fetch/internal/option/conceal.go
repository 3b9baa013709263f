package option

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/url"
)

// Concealed returns arguments as they may stand in the list of processes, which every user
// of the machine can read. The passwords in URLs and in the values of flags are masked,
// also those in values that a later flag has replaced.
func Concealed(flags *pflag.FlagSet, args []string) []string {
	type value struct{ flag, text string }
	var values []value
	again := pflag.NewFlagSet("", pflag.ContinueOnError)
	again.AddFlagSet(flags)
	again.ParseAll(args, func(f *pflag.Flag, text string) error {
		if text != "" {
			values = append(values, value{f.Name, text})
		}
		return nil
	})
	slices.SortStableFunc(values, func(a, b value) int { return len(b.text) - len(a.text) })
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = url.Redact(arg)
		for _, v := range values { // the value is the whole of an argument, or its end
			flag, _ := Lookup(v.flag)
			masked := flag.Masked(v.text)
			if before, found := strings.CutSuffix(arg, v.text); found && masked != v.text {
				shown[i] = before + masked
				break
			}
		}
	}
	return shown
}
