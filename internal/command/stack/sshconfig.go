package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed1ea3422f/fetch/fetchers/sftp"
	"github.com/seed1ea3422f/fetch/internal/command/sshconfig"
)

// globalSSH is the directory of the administrator.
const globalSSH = "/etc/ssh"

// configFiles are the files of configuration: that of --ssh-config, or that of the user and that of
// the administrator, if they exist.
func (u *sshUser) configFiles() []sshconfig.File {
	if u.options.Config != "" {
		return []sshconfig.File{{Name: u.options.Config, Dir: u.in("")}}
	}
	return []sshconfig.File{
		{Name: u.in("config"), Optional: true, Private: true, Dir: u.in("")},
		{Name: filepath.Join(globalSSH, "ssh_config"), Optional: true, Dir: globalSSH},
	}
}

// A sshSection has the settings of the configuration for a host.
type sshSection struct {
	*sshconfig.Values
	u    *sshUser
	name string // of the host, in the URL
	host sftp.Host
}

// section reads the configuration for a host, and for a user if the URL names one. A ProxyCommand,
// which is a program, is not run: it is an error, unless ProxyJump comes first.
func (u *sshUser) section(name, user string) (*sshSection, error) {
	values, err := sshconfig.Read(u.configFiles(), sshconfig.Target{Host: name, User: user, Local: u.name, Home: u.home})
	if err != nil {
		return nil, err
	}
	for _, place := range values.Skipped {
		u.streams.Remark("%s: fetch does not know this criterion of Match, and skips the block", place)
	}
	c := &sshSection{Values: values, u: u, name: name}
	h := &c.host
	if text := c.First("Port"); text != "" {
		port, err := strconv.ParseUint(text, 10, 16)
		if err != nil || port == 0 {
			return nil, c.bad("Port", text)
		}
		h.Port = uint16(port)
	}
	h.HostName = strings.NewReplacer("%%", "%", "%h", name).Replace(c.First("HostName"))
	h.User, h.Alias = c.First("User"), c.First("HostKeyAlias")
	if user != "" {
		h.User = user
	}
	if h.KeysOnly, err = c.truth("IdentitiesOnly"); err != nil {
		return nil, err
	}
	if jump := c.First("ProxyJump"); jump != "" && !none(jump) {
		for hop := range strings.SplitSeq(jump, ",") {
			h.Jump = append(h.Jump, strings.TrimSpace(hop))
		}
	}
	if command := c.First("ProxyCommand"); command != "" && !none(command) {
		return nil, fmt.Errorf("the configuration of ssh has a ProxyCommand for %s, and fetch runs no program: use ProxyJump", name)
	}
	return c, nil
}

// none reports whether a value means none.
func none(value string) bool { return strings.EqualFold(value, "none") }

// bad returns the error for a malformed value.
func (c *sshSection) bad(keyword, value string) error {
	return fmt.Errorf("bad %s %q for %s in the configuration of ssh", keyword, value, c.name)
}

// truth returns the value of a keyword with the values yes and no.
func (c *sshSection) truth(keyword string) (bool, error) {
	switch value := c.First(keyword); strings.ToLower(value) {
	case "yes", "true":
		return true, nil
	case "no", "false", "":
		return false, nil
	default:
		return false, c.bad(keyword, value)
	}
}

// path returns the name of a file in which text has "~", "${VARIABLE}" and tokens (ssh_config(5),
// TOKENS and ENVIRONMENT VARIABLES) in place of values.
func (c *sshSection) path(keyword, text string) (string, error) {
	if rest, ok := strings.CutPrefix(text, "~/"); ok {
		text = c.u.below(rest)
	}
	var path strings.Builder
	for text != "" {
		i := strings.IndexAny(text, "%$")
		if i < 0 {
			i = len(text)
		}
		path.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "${"):
			name, rest, ok := strings.Cut(text[2:], "}")
			value, set := os.LookupEnv(name)
			if !ok || !set {
				return "", fmt.Errorf("%s for %s in the configuration of ssh needs the variable %q, which is not set", keyword, c.name, name)
			}
			path.WriteString(value)
			text = rest
		case strings.HasPrefix(text, "$"):
			path.WriteByte('$')
			text = text[1:]
		case len(text) > 1:
			value, ok := c.token(text[1])
			if !ok {
				return "", fmt.Errorf("%s for %s in the configuration of ssh has the token %.2q, which fetch does not know", keyword, c.name, text)
			}
			path.WriteString(value)
			text = text[2:]
		case text != "":
			return "", c.bad(keyword, text)
		}
	}
	return path.String(), nil
}

// token returns the value of a token.
func (c *sshSection) token(letter byte) (string, bool) {
	first := func(values ...string) (string, bool) {
		for _, v := range values {
			if v != "" {
				return v, true
			}
		}
		return "", true
	}
	switch letter {
	case '%':
		return "%", true
	case 'd':
		return c.u.home, true
	case 'h':
		return first(c.host.HostName, c.name)
	case 'i':
		return strconv.Itoa(os.Getuid()), true
	case 'k':
		return first(c.host.Alias, c.name)
	case 'L', 'l':
		name, _ := os.Hostname()
		if letter == 'L' {
			name, _, _ = strings.Cut(name, ".")
		}
		return name, true
	case 'n':
		return c.name, true
	case 'p':
		port := c.host.Port
		if port == 0 {
			port = 22
		}
		return strconv.Itoa(int(port)), true
	case 'r':
		return first(c.host.User, c.u.name)
	case 'u':
		return c.u.name, true
	}
	return "", false
}
