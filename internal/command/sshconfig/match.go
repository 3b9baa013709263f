package sshconfig

import (
	"fmt"
	"strings"
)

// matchesHost reports whether patterns match a host, whose case does not count.
func matchesHost(patterns []string, host string) bool {
	lower := make([]string, len(patterns))
	for i, p := range patterns {
		lower[i] = strings.ToLower(p)
	}
	return matchesList(lower, strings.ToLower(host))
}

// matchesList reports whether one of the patterns matches, and none with a "!".
func matchesList(patterns []string, text string) bool {
	found := false
	for _, p := range patterns {
		p, negated := strings.CutPrefix(p, "!")
		switch {
		case !matches(p, text):
		case negated:
			return false
		default:
			found = true
		}
	}
	return found
}

// matches reports whether text matches a pattern of "*" and "?" (ssh_config(5), PATTERNS).
func matches(pattern, text string) bool {
	star, from := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			from++
			p, t = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// matches reports whether the criteria of a Match line hold. If one that would decide cannot be
// told, such as exec, which runs a program, they do not, and it is unknown.
func (r *reader) matches(words []string) (ok bool, unknown string, err error) {
	ok = true
	for i := 0; i < len(words); i++ {
		name, negated := strings.CutPrefix(strings.ToLower(words[i]), "!")
		var holds bool
		switch name {
		case "all":
			holds = true
		case "canonical", "final":
			holds = r.pass == finalPass
			if name == "final" {
				r.last = finalPass
			}
		default:
			if i++; i == len(words) {
				return false, "", fmt.Errorf("the criterion %s of Match has no value", name)
			}
			switch list := strings.Split(words[i], ","); name {
			case "host":
				holds = matchesHost(list, r.hostName())
			case "originalhost":
				holds = matchesHost(list, r.Host)
			case "user":
				holds = matchesList(list, r.user())
			case "localuser":
				holds = matchesList(list, r.Local)
			default:
				if ok {
					unknown = name
				}
				ok = false
				continue
			}
		}
		if holds == negated {
			ok, unknown = false, ""
		}
	}
	return ok, unknown, nil
}

// hostName returns the host to connect to, as far as it is known by now.
func (r *reader) hostName() string {
	if name := r.values.First("HostName"); name != "" {
		return strings.NewReplacer("%%", "%", "%h", r.Host).Replace(name)
	}
	return r.Host
}

// user returns the user who logs in, as far as he is known by now.
func (r *reader) user() string {
	if r.User != "" {
		return r.User
	}
	if name := r.values.First("User"); name != "" {
		return name
	}
	return r.Local
}
