package main

import (
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	fetch "github.com/seed1ea3422f/fetch"
	"github.com/seed1ea3422f/fetch/url"
)

// completionCommand returns the command that writes scripts for shells, which call
// this program for what could follow.
func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell", "pwsh"}
	return &cobra.Command{
		Use:   "completion " + strings.Join(shells, "|"),
		Short: "Write the script that completes command lines in a shell",
		Long: `For the running shell: "source <(fetch completion bash)", the same with zsh, "fetch completion fish | source", "fetch completion pwsh | Out-String | Invoke-Expression". ` +
			`To have it in each, write it to where the shell looks: for bash ~/.local/share/bash-completion/completions/fetch, for zsh a file _fetch in a directory of $fpath, ` +
			`for fish ~/.config/fish/completions/fetch.fish.`,
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			root, out := c.Root(), sink{a.stdout}
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(out, true)
			case "zsh":
				return root.GenZshCompletion(out)
			case "fish":
				var script strings.Builder
				root.GenFishCompletion(&script, true)
				// Of cobra 1.10: string takes a completion such as --flag=value for an option.
				_, err := io.WriteString(out, strings.ReplaceAll(script.String(), `string split --max 1 \t`, `string split --max 1 -- \t`))
				return err
			}
			return root.GenPowerShellCompletionWithDesc(out)
		},
	}
}

// complete makes the values of the flags of c complete, by what the manual calls
// them.
func complete(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if placeholder(f) != "" {
			c.RegisterFlagCompletionFunc(f.Name, valueCompletion(f))
		}
	})
}

// valueCompletion returns what completes the value of a flag.
func valueCompletion(f *pflag.Flag) cobra.CompletionFunc {
	switch f.Name {
	case "checksum":
		return beginnings("sha256:", "sha512:", "sha1:", "md5:", byServer)
	case "proto", "proto-redir":
		return completeSchemes
	case "proxy":
		return beginnings("http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://")
	}
	if choice, ok := f.Value.(*choice); ok {
		return cobra.FixedCompletions(choice.words, cobra.ShellCompDirectiveNoFileComp)
	}
	for what := range strings.SplitSeq(placeholder(f), "|") {
		switch what {
		case "FILE":
			return nil // files, as the shell has them
		case "DIR":
			return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case "URL":
			return completeURL
		}
	}
	return cobra.NoFileCompletions
}

// beginnings completes words that go on after what is completed.
func beginnings(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) (found []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, w := range words {
			if strings.HasPrefix(w, typed) {
				found = append(found, w)
			}
		}
		if len(found) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return found, cobra.ShellCompDirectiveNoSpace | cobra.ShellCompDirectiveNoFileComp
	}
}

// completeURL completes the scheme of a URL.
func completeURL(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return beginnings(urlBeginnings()...)(c, args, typed)
}

// urlBeginnings returns how URLs begin that can be fetched.
func urlBeginnings() (words []string) {
	for _, scheme := range fetch.Protocols(nil).Schemes() {
		switch _, err := url.Parse(scheme + ":x"); {
		case url.Reserved(scheme):
		case err != nil:
			words = append(words, scheme+"://")
		default:
			words = append(words, scheme+":")
		}
	}
	return words
}

// completeSchemes completes the last of a list of schemes.
func completeSchemes(c *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndex(typed, ",")+1]
	var words []string
	for _, beginning := range urlBeginnings() {
		scheme, _, _ := strings.Cut(beginning, ":")
		words = append(words, before+scheme)
	}
	return beginnings(words...)(c, args, typed)
}
