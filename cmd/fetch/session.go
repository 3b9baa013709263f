package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/fetchers/telnet"
	"github.com/seed1ea3422f/fetch/url"
)

// sessionFlags say what is done about an interactive service.
type sessionFlags struct {
	connect bool
	banner  int
	show    bool
}

func (f *sessionFlags) add(flags *pflag.FlagSet) {
	flags.BoolVar(&f.show, "show-password", false, "say the password that a URL suggests for an interactive service")
}

// open adds the flags that open a session, which only a fetch does.
func (f *sessionFlags) open(flags *pflag.FlagSet) {
	flags.BoolVar(&f.connect, "connect", false, "open the interactive service at this terminal; ^] leaves it")
	flags.Var(atLeast(1, &f.banner), "banner", "write what an interactive service says first, at most `N` bytes")
	flags.Lookup("banner").NoOptDefVal = "65536"
}

// apply tells client of the terminal, if there is to be one.
func (f *sessionFlags) apply(client *telnet.Fetcher, config *tls.Config) {
	client.TLS = config
	if f.connect {
		client.Terminal = os.Getenv("TERM")
		if client.Terminal == "" {
			client.Terminal = "unknown"
		}
	}
}

// opened returns what opens the session of res. A hint by a protocol of menus
// leaves that to the protocol of the service.
func (a *app) opened(ctx context.Context, res *fetchers.Resource) (*fetchers.SessionHint, error) {
	hint := res.Session
	if hint.Dial == nil && hint.Service == "telnet" && res.URL.Scheme != hint.Service {
		u, err := url.Parse("telnet://" + hint.Addr + "/")
		if err != nil {
			return nil, err
		}
		other, err := a.client.Fetch(ctx, &fetchers.Request{URL: u, Login: &hint.Login})
		if err != nil {
			return nil, err
		}
		other.Close()
		hint = other.Session
	}
	if hint == nil || hint.Dial == nil {
		return nil, a.advice(res)
	}
	return hint, nil
}

// advice is the answer to who only asks what a service is, and says how to open
// it, in commands for a shell.
func (a *app) advice(res *fetchers.Resource) error {
	hint := res.Session
	said := fmt.Sprintf("an interactive %s service at %s", hint.Service, hint.Addr)
	switch login := hint.Login; {
	case login.Password != "" && a.session.show:
		said += fmt.Sprintf(", where to log in as %q with the password %q", login.User, login.Password)
	case login.Password != "":
		said += fmt.Sprintf(", where to log in as %q with a password that --show-password says", login.User)
	case login.User != "":
		said += fmt.Sprintf(", where to log in as %q", login.User)
	}
	var ways []string
	command, installed := suggestion(hint)
	if installed {
		ways = append(ways, command)
	}
	if !a.session.connect && (hint.Dial != nil || hint.Service == "telnet") {
		ways = append(ways, "fetch --connect "+quoted(withoutPassword(res.URL).String()))
	}
	if command != "" && !installed {
		ways = append(ways, command+" (which is not installed here)")
	}
	for i := range ways {
		ways[i] = []string{"to open it: ", "or: "}[min(i, 1)] + ways[i]
	}
	return hinted{fmt.Errorf("%s: %w: %s", res.URL.Redacted(), fetchers.ErrNotRetrievable, said), ways}
}

// withoutPassword is a URL that can be shown and be fetched: it says who logs in, and not
// with what, for which *** would be taken.
func withoutPassword(u *url.URL) *url.URL {
	open := *u
	if u.User != nil {
		open.User = &url.Userinfo{Name: u.User.Name}
	}
	return &open
}

// suggestion returns the command that opens a service, for a shell, and whether
// its program is installed. There is none for a service that we know nothing of,
// nor for a name that could be more than a name to a shell, a terminal or the
// program.
func suggestion(hint *fetchers.SessionHint) (command string, installed bool) {
	host, port, err := net.SplitHostPort(hint.Addr)
	if err != nil || !plain(host) || host == "" {
		return "", false
	}
	user := hint.Login.User
	if !plain(user) {
		user = "" // the words have it, and a person will know
	}
	for _, argv := range commands(hint.Service, host, port, user) {
		for i := range argv {
			argv[i] = quoted(argv[i])
		}
		line := strings.Join(argv, " ")
		if _, err := exec.LookPath(argv[0]); err == nil {
			return line, true
		}
		if command == "" {
			command = line
		}
	}
	return command, false
}

// commands returns what may open a service, the best first.
func commands(service, host, port, user string) [][]string {
	login := func(program string) []string {
		if user == "" {
			return []string{program}
		}
		return []string{program, "-l", user}
	}
	switch service {
	case "telnet":
		return [][]string{append(login("telnet"), host, port)}
	case "rlogin":
		argv := append(login("rlogin"), host)
		if port != strconv.Itoa(int(url.DefaultPort("rlogin"))) {
			argv = append(login("rlogin"), "-p", port, host)
		}
		return [][]string{argv}
	case "tn3270":
		addr := net.JoinHostPort(host, port)
		return [][]string{{"c3270", addr}, {"x3270", addr}, {"tn3270", host, port}}
	case "cso":
		return [][]string{{"ph", "-s", host, "-p", port}}
	}
	return nil
}

// plain reports whether s can stand in a command: it is no option, and nothing in
// it is anything but a letter to a terminal.
func plain(s string) bool {
	return !strings.HasPrefix(s, "-") && visible(s) == s
}

// quoted returns s as one word to a shell.
func quoted(s string) string {
	harmless := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("@%+=:,./_-", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !harmless(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// sessionJSON is where an interactive service is.
type sessionJSON struct {
	Service     string  `json:"service"`
	Address     string  `json:"address"`
	User        *string `json:"user"`
	PasswordSet bool    `json:"password_set"`
	Password    *string `json:"password"` // only with --show-password
	Command     *string `json:"command"`
}

func (f *sessionFlags) record(hint *fetchers.SessionHint) *sessionJSON {
	command, _ := suggestion(hint)
	s := &sessionJSON{
		Service: hint.Service, Address: hint.Addr, User: orNull(hint.Login.User),
		PasswordSet: hint.Login.Password != "", Command: orNull(command),
	}
	if f.show {
		s.Password = orNull(hint.Login.Password)
	}
	return s
}

// facts are what info says of a service.
func (f *sessionFlags) facts(hint *fetchers.SessionHint) []string {
	password := hint.Login.Password
	if password != "" && !f.show {
		password = "*** (--show-password)"
	}
	command, _ := suggestion(hint)
	return []string{"service", hint.Service, "address", hint.Addr, "user", hint.Login.User, "password", password, "command", command}
}
