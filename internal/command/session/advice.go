package session

import (
	"fmt"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/option"
	"github.com/seed1ea3422f/fetch/internal/command/term"
)

// Advice returns the error for a service that is not opened. It is ErrNotRetrievable, it
// tells where the service of res is, and its hints are the commands that open it, for a
// shell.
func Advice(o option.Session, res *fetchers.Resource) error {
	hint := res.Session
	said := fmt.Sprintf("an interactive %s service at %s", hint.Service, hint.Addr)
	switch login := hint.Login; {
	case login.Password != "" && o.ShowPassword:
		said += fmt.Sprintf(", where to log in as %q with the password %q", login.User, login.Password)
	case login.Password != "":
		said += fmt.Sprintf(", where to log in as %q with a password that --show-password says", login.User)
	case login.User != "":
		said += fmt.Sprintf(", where to log in as %q", login.User)
	}
	err := fmt.Errorf("%s: %w: %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, said)
	return term.WithHints(err, ways(o, res)...)
}

// ways returns the commands that open the service of res, the best first, each with the
// words before it.
func ways(o option.Session, res *fetchers.Resource) []string {
	hint := res.Session
	var ways []string
	command, installed := suggestion(hint)
	if installed {
		ways = append(ways, command)
	}
	if !o.Connect && (hint.Dial != nil || hint.Service == "telnet") {
		ways = append(ways, "fetch --connect "+quoted(res.URL.WithoutPassword().String()))
	}
	if command != "" && !installed {
		ways = append(ways, command+" (which is not installed here)")
	}
	for i := range ways {
		if i == 0 {
			ways[i] = "to open it: " + ways[i]
		} else {
			ways[i] = "or: " + ways[i]
		}
	}
	return ways
}
