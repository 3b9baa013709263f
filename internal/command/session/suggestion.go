package session

import (
	"net"
	"os/exec"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/internal/command/term"
	"github.com/seed1ea3422f/fetch/url"
)

// suggestion returns the command that opens a service, for a shell, and whether its
// program is installed. It returns "" for an unknown service, and for a host that could be
// more than a name to a shell, a terminal or the program.
func suggestion(hint *fetchers.SessionHint) (command string, installed bool) {
	host, port, err := net.SplitHostPort(hint.Addr)
	if err != nil || !plain(host) || host == "" {
		return "", false
	}
	user := hint.Login.User
	if !plain(user) {
		user = "" // the text of Advice has it, with escapes
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

// commands returns the commands that may open a service, the best first.
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

// plain reports whether s can stand in a command: it is no flag, and each of its characters
// is harmless to a terminal.
func plain(s string) bool {
	return !strings.HasPrefix(s, "-") && term.Visible(s) == s
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
