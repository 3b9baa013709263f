package option

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers/http"
	"github.com/seed1ea3422f/fetch/url"
)

// A Secret says which part of a flag's value is masked where it is shown. Of every value a
// password in a URL is.
type Secret int

// The kinds of secrets in values.
const (
	Public     Secret = iota
	Field             // NAME: VALUE of a header field
	FieldValue        // the value of the flag's header field
	Login             // NAME:PASSWORD; curl takes FILE:PASSWORD for --cert
	Answer            // LABEL=VALUE
)

// Masked returns a value of the flag as it may be shown, with header fields as sent to a
// server.
func (f Flag) Masked(value string) string { return f.maskedBy(http.MaskedSent, value) }

// maskedBy is Masked with header fields as mask has them.
func (f Flag) maskedBy(mask func(name, value string) string, v string) string {
	name, value, ok := strings.Cut(v, ":")
	switch f.Secret {
	case Field:
		return name + ": " + mask(name, strings.TrimSpace(value))
	case FieldValue:
		return mask(f.Field, v)
	case Login:
		if ok {
			return name + ":***"
		}
		return v
	case Answer:
		if name, _, ok := strings.Cut(v, "="); ok {
			return name + "=***"
		}
	}
	return url.Redact(v)
}

// NotForStrangers returns the flags in use, by name, that hold a secret which is not for the
// servers that a stranger names.
func (o *Options) NotForStrangers() []Flag {
	return flags(func(f Flag) bool { return f.NotForStrangers && o.IsSet(f.Name) })
}

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
