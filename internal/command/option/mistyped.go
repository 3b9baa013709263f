package option

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/internal/command/spelling"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Mistyped returns the error for flags of a verb that pflag could not read. It proposes a flag that
// the user may have meant, and masks the passwords in values.
func Mistyped(verb string, err error) error {
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		typed := "--" + unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			typed = typed[1:]
		}
		if text := hint(verb, typed); text != "" {
			return record.UsageError{Err: errors.New(text)}
		}
	}
	if unknown != nil && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		for _, f := range Table() {
			if f.On(verb) {
				names = append(names, f.Name)
			}
		}
		slices.Sort(names)
		if name := spelling.Nearest(names, unknown.GetSpecifiedName()); name != "" {
			text := loginless(err.Error(), unknown.GetSpecifiedName())
			return record.UsageError{Err: fmt.Errorf("%s%s", text, spelling.DidYouMean("--%s", name))}
		}
	}
	text := err.Error()
	var invalid *pflag.InvalidValueError
	var malformed *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &invalid): // its own text quotes the value again
		f, ours := Lookup(invalid.GetFlag().Name)
		if !ours { // an option of another program
			f.Name = invalid.GetFlag().Name
		}
		text = f.Shown() + ": " + invalid.Unwrap().Error()
		text = loginless(text, strconv.Quote(invalid.GetValue()))
		if f.Name == "max-time" && isURL(invalid.GetValue()) { // wget has -m without a value
			return record.UsageError{Err: errors.New(text + "; fetch mirror URL DIR copies a tree")}
		}
	case errors.As(err, &malformed):
		text = loginless(text, malformed.GetSpecifiedFlag())
	case unknown != nil:
		text = loginless(text, cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName()))
	}
	return record.UsageError{Err: fmt.Errorf("%s; try %s --help", text, commandLine(verb))}
}

// loginless returns text with a password in value, a part of text, masked. For a mistyped
// flag value may be NAME:PASSWORD, so the text after a colon is a password, unless only
// digits are before it.
func loginless(text, value string) string {
	name, password, found := strings.Cut(value, ":")
	if !found || strings.Trim(name, `"0123456789`) == "" || strings.HasPrefix(password, "//") {
		return strings.ReplaceAll(text, value, url.Redact(value))
	}
	return strings.ReplaceAll(text, value, name+":***")
}
