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
	var values []argument
	again := pflag.NewFlagSet("", pflag.ContinueOnError)
	again.AddFlagSet(flags)
	again.ParseAll(args, func(f *pflag.Flag, text string) error {
		if text != "" {
			values = append(values, argument{f, text})
		}
		return nil
	})
	slices.SortStableFunc(values, func(a, b argument) int { return len(b.text) - len(a.text) })
	shown := make([]string, len(args))
	for i, arg := range args {
		shown[i] = url.Redact(arg)
		for _, v := range values { // the value is the whole of an argument, or its end
			masked := v.masked()
			if before, found := strings.CutSuffix(arg, v.text); found && masked != v.text {
				shown[i] = before + masked
				break
			}
		}
	}
	return shown
}

// An argument is the value of a flag on a command line.
type argument struct {
	flag *pflag.Flag
	text string
}

// masked is the value without its secrets. One of an alias is as secret as that of the flag that
// it sets.
func (a argument) masked() string {
	name := a.flag.Name
	if alias, ok := a.flag.Value.(*alias); ok && len(alias.Flags()) > 0 {
		name = alias.Flags()[0]
	}
	flag, _ := Lookup(name)
	return flag.Masked(a.text)
}
