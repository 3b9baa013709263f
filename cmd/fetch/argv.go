package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// concealed returns arguments as they may stand in the list of processes, which every user
// of the machine can read: with the passwords in URLs and in the values of flags masked,
// also in those that a later flag has replaced.
func concealed(flags *pflag.FlagSet, args []string) []string {
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
		for _, v := range values { // which is the whole of an argument, or its end
			masked := maskedValue(v.flag, v.text, http.MaskedSent)
			if before, found := strings.CutSuffix(arg, v.text); found && masked != v.text {
				shown[i] = before + masked
				break
			}
		}
	}
	return shown
}
