package session

import (
	"github.com/seed1ea3422f/fetch/fetchers"
	"github.com/seed1ea3422f/fetch/record"
)

// Record returns the service of a hint for a record, with the command that opens it, and
// with its password only if the user asked for that.
func Record(hint *fetchers.SessionHint, showPassword bool) *record.Session {
	s := record.SessionOf(hint)
	if command, _ := suggestion(hint); command != "" {
		s.Command = &command
	}
	if password := hint.Login.Password; showPassword && password != "" {
		s.Password = &password
	}
	return s
}

// Facts returns the service of a hint as names and values in turn. A fact that is not known
// has the value "".
func Facts(hint *fetchers.SessionHint, showPassword bool) []string {
	password := hint.Login.Password
	if password != "" && !showPassword {
		password = "*** (--show-password)"
	}
	command, _ := suggestion(hint)
	return []string{"service", hint.Service, "address", hint.Addr, "user", hint.Login.User, "password", password, "command", command}
}
