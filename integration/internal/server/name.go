package server

import "fmt"

// Name returns the name of value i of a type, such as "Reset", or "Action(99)" if the
// value has none.
func Name(kind string, names []string, i int) string {
	if i < 0 || i >= len(names) || names[i] == "" {
		return fmt.Sprintf("%s(%d)", kind, i)
	}
	return names[i]
}

// Describe returns a fault as "RETR pub/a: Reset after 4, once". Empty parts are left out.
func Describe(command, path, do string, after int64, once bool) string {
	text := command
	if path != "" {
		if text != "" {
			text += " "
		}
		text += path
	}
	if text != "" {
		text += ": "
	}
	text += do
	if after > 0 {
		text += fmt.Sprintf(" after %d", after)
	}
	if once {
		text += ", once"
	}
	return text
}
