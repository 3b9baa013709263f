package option

import (
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/seed1ea3422f/fetch/internal/command/glob"
	"github.com/seed1ea3422f/fetch/record"
	"github.com/seed1ea3422f/fetch/url"
)

// Pattern returns the URLs of an argument: with --glob those of its globs, and otherwise the
// argument itself. The error names the column of the fault.
func (i *Input) Pattern(arg string) (*glob.Pattern, error) {
	if !i.Glob {
		return glob.Literal(arg), nil
	}
	p, err := glob.Parse(arg)
	if fault, ok := errors.AsType[*url.Error](err); ok {
		column := utf8.RuneCountInString(arg[:fault.Pos]) + 1
		err = record.Explained(fmt.Sprintf("--glob: %s: column %d: %s", url.Redact(arg), column, fault.Reason), err)
	}
	return p, err
}

// patterns returns the patterns of all arguments.
func (i *Input) patterns(args []string) ([]*glob.Pattern, error) {
	all := make([]*glob.Pattern, len(args))
	for n, arg := range args {
		var err error
		if all[n], err = i.Pattern(arg); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Several reports whether a run has more than one URL. Arguments that are no patterns count as
// one.
func (o *Options) Several(args []string) bool {
	if o.Input.List != "" || len(args) > 1 {
		return true
	}
	all, _ := o.Input.patterns(args)
	return len(all) == 1 && all[0].Count() > 1
}
