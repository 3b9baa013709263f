package main

import (
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/internal/command/manual"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/scheme"
)

// shells are the shells for which completion writes a script.
var shells = []string{"bash", "zsh", "fish", "powershell", "pwsh"}

// completion writes the script for a shell, which calls this program for the words that
// could follow.
func completion(root *cobra.Command, shell string, out io.Writer) error {
	switch shell {
	case "bash":
		return errors.Join(root.GenBashCompletionV2(out, true), writeText(out, bashHelpers))
	case "zsh":
		return root.GenZshCompletion(out)
	case "fish":
		var script strings.Builder
		root.GenFishCompletion(&script, true)
		// The script of cobra 1.10 calls fish's string without --, so that a completion such as
		// --flag=value is taken for an option of string.
		return writeText(out, strings.ReplaceAll(script.String(), `string split --max 1 \t`, `string split --max 1 -- \t`))
	}
	return root.GenPowerShellCompletionWithDesc(out)
}

func writeText(out io.Writer, text string) error {
	_, err := io.WriteString(out, text)
	return err
}

// bashHelpers are functions of the package bash-completion that the script of cobra calls, for
// shells without that package. Words are split at spaces only.
const bashHelpers = `
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        read -r -a words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword > 0 ? cword - 1 : 0]}
    }
fi
if ! declare -F _filedir >/dev/null; then
    _filedir()
    {
        local kind=-f
        [[ ${1-} == -d ]] && kind=-d
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen "$kind" -- "$cur")
    }
fi
`

// completes reports whether a completion script has called the program with args.
func completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// completeFlags makes the values of the flags of a verb complete, by the table.
func completeFlags(c *cobra.Command, verb string) {
	for _, f := range option.Table() {
		if f.On(verb) && f.Value != "" {
			c.RegisterFlagCompletionFunc(f.Name, func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
				return completed(manual.CompleteValue(f, typed, fetch.Protocols(nil).Schemes()))
			})
		}
	}
}

// completeURL completes the scheme of a URL.
func completeURL(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completed(manual.CompleteURL(typed, fetch.Protocols(nil).Schemes()))
}

// completed is a completion in the terms of cobra.
func completed(c manual.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case c.Files:
		return nil, cobra.ShellCompDirectiveDefault
	case c.Dirs:
		return nil, cobra.ShellCompDirectiveFilterDirs
	case c.Unfinished:
		return c.Words, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
	return c.Words, cobra.ShellCompDirectiveNoFileComp
}

// completeScheme completes a scheme of the table of schemes.
func completeScheme(*cobra.Command, []string, string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
	for _, r := range scheme.Rows() {
		words = append(words, r.Scheme)
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}

// completeTopics completes the argument of help: a verb, a topic or "man".
func completeTopics(all []manual.Verb) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) (words []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 1 && args[0] == "man" {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, v := range all[1:] {
			words = append(words, cobra.CompletionWithDesc(v.Name, v.Short))
		}
		for _, g := range option.Groups() {
			words = append(words, cobra.CompletionWithDesc(g.Name, g.Title))
		}
		for _, t := range manual.Topics() {
			words = append(words, cobra.CompletionWithDesc(t.Name, t.Short))
		}
		return append(words, cobra.CompletionWithDesc("all", "all commands and flags"), cobra.CompletionWithDesc("man", "the man pages")), cobra.ShellCompDirectiveNoFileComp
	}
}
