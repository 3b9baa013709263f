package option

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// urlName is the option --url of curl. The table has no such flag: a URL is an argument.
const urlName = "url"

// An alias is the value of a hidden flag: an option of another program that is Accepted or
// Needless. Set sets the flags with the same effect.
type alias struct {
	Foreign
	flags *pflag.FlagSet
	o     *Options
}

// bindAliases adds the options of other programs that verb can take to flags, hidden from
// help.
func bindAliases(flags *pflag.FlagSet, verb string, o *Options) {
	for _, p := range Programs() {
		for _, f := range p.Options {
			takes := f.State == Needless || f.State == Accepted && f.doneBy(verb)
			if !takes || flags.Lookup(f.Name) != nil {
				continue
			}
			letter := f.Short
			if letter != "" && flags.ShorthandLookup(letter) != nil {
				letter = ""
			}
			bound := flags.VarPF(&alias{f, flags, o}, f.Name, letter, "")
			bound.Hidden = true
			switch {
			case f.Name == "no-proxy":
				bound.NoOptDefVal = "*" // wget has no value here, and aria2c one
			case !f.Value:
				bound.NoOptDefVal = "true"
			}
		}
	}
}

func (a *alias) String() string { return "" }

func (a *alias) Type() string {
	if a.Value {
		return "string"
	}
	return "bool"
}

// Set sets the flags of the text: --NAME=VALUE to that, --NAME WORD to text, and --NAME alone
// to true, or to false for --ALIAS=false.
func (a *alias) Set(text string) error {
	if a.State == Needless {
		return nil
	}
	on := true
	if !a.Value && a.Name != "no-proxy" {
		var err error
		if on, err = strconv.ParseBool(text); err != nil {
			return errors.New("neither true nor false")
		}
	}
	words := strings.Fields(a.Text)
	for i, word := range words {
		name, value, fixed := strings.Cut(strings.TrimPrefix(word, "--"), "=")
		switch next := i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"); {
		case !strings.HasPrefix(word, "--"):
			continue
		case !fixed && next:
			value = translated(a.Name, text)
		case !fixed:
			value = strconv.FormatBool(on)
		case !on && (value == "true" || value == "false"):
			value = strconv.FormatBool(value == "false")
		case !on:
			continue
		}
		if name == urlName {
			a.o.Input.URLs = append(a.o.Input.URLs, value)
		} else if err := a.flags.Set(name, value); err != nil {
			return cause(err)
		}
	}
	return nil
}

// cause is the reason why a flag refuses a value.
func cause(err error) error {
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return invalid.Unwrap()
	}
	return err
}

// translated converts a value of the option to one of the flag. wget and aria2c count all tries,
// and have 0 for no limit.
func translated(option, text string) string {
	if option != "tries" && option != "max-tries" {
		return text
	}
	switch n, err := strconv.Atoi(text); {
	case err == nil && n > 0:
		return strconv.Itoa(n - 1)
	case err == nil && n == 0, text == "inf":
		return "1000000000"
	}
	return text
}
