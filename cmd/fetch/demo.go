package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/seed1ea3422f/fetch/cmd/fetch/internal/demo"
)

// demo demonstrates the schemes in args, or all of them.
func (a *app) demo(c *cobra.Command, args []string) error {
	err := demo.Run(c.Context(), args, sink{a.stdout})
	if unknown, ok := errors.AsType[demo.UnknownScheme](err); ok {
		return usageError{unknown}
	}
	return err
}
