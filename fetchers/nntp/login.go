package nntp

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers"
)

// login sends the user and password (RFC 4643), which the server has demanded by 480: by USER and
// PASS unless the server has only SASL.
func (s *session) login() error {
	arguments, known, err := s.offers("AUTHINFO")
	if err != nil {
		return err
	}
	mechanisms, _, err := s.offers("SASL")
	if err != nil {
		return err
	}
	if known && !has(arguments, "USER") && has(arguments, "SASL") && has(mechanisms, "PLAIN") {
		err = s.plain()
	} else {
		err = s.userPass()
	}
	if err == nil {
		s.loggedIn = true
		s.capabilities, s.overview = nil, "" // RFC 4643, section 2.2
	}
	return err
}

// userPass is AUTHINFO USER and AUTHINFO PASS (RFC 4643, section 2.3).
func (s *session) userPass() error {
	r, err := s.ask("AUTHINFO USER "+s.key.user, 281, 381)
	switch {
	case err != nil || r.Code == 281:
		return err
	case !s.key.passwordSet:
		return fmt.Errorf("%w: %w", fetchers.ErrLogin, refusal(r))
	}
	return s.sendSecret("AUTHINFO PASS ", s.key.password)
}

// plain is AUTHINFO SASL with the mechanism PLAIN (RFC 4643, section 2.4; RFC 4616).
func (s *session) plain() error {
	if strings.ContainsRune(s.key.user+s.key.password, 0) {
		return fmt.Errorf("%w: NUL in the user or password", fetchers.ErrLogin)
	}
	response := base64.StdEncoding.EncodeToString([]byte("\x00" + s.key.user + "\x00" + s.key.password))
	return s.sendSecret("AUTHINFO SASL PLAIN ", response)
}

// sendSecret sends a command with a secret, which is masked in the Trace.
func (s *session) sendSecret(command, secret string) error {
	s.secret = secret
	s.conn.Conceal(secret)
	defer func() {
		s.secret = ""
		s.conn.Conceal("")
	}()
	if err := s.transmit(command+secret, command+"***"); err != nil {
		return err
	}
	r, err := s.receive()
	if err != nil {
		return err
	}
	return s.want(r, 281)
}
