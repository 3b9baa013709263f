package ftp

import (
	"regexp"
	"strconv"
	"strings"
)

// extendedPort returns the port in the text of a 229, "(|||port|)" with any delimiter (RFC 2428,
// section 3). Some servers omit the parentheses, or fill in the protocol and address, which should
// be empty.
func extendedPort(text string) (port string, ok bool) {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f || alphanumeric(text[i]) {
			continue
		}
		fields := strings.Split(text[i+1:], text[i:i+1])
		if len(fields) < 4 || len(fields[0]) > 1 {
			continue
		}
		port = strings.TrimSpace(fields[2])
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 && port[0] != '+' {
			return port, true
		}
	}
	return "", false
}

func alphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// numbers matches successive numbers with any separators that servers use.
var numbers = regexp.MustCompile(`[0-9]+(?: *[,.;] *[0-9]+)+`)

// passivePort returns the port in the text of a 227, which should be "(h1,h2,h3,h4,p1,p2)". RFC
// 1123, section 4.1.2.6, warns that servers may omit the parentheses. The host is ignored.
func passivePort(text string) (port int, ok bool) {
	for _, run := range numbers.FindAllString(text, -1) {
		parts := strings.FieldsFunc(run, func(r rune) bool { return r < '0' || '9' < r })
		if len(parts) != 6 {
			continue
		}
		for _, part := range parts {
			n, err := strconv.ParseUint(part, 10, 8)
			if err != nil {
				return 0, false
			}
			port = (port<<8 | int(n)) & 0xffff
		}
		return port, true
	}
	return 0, false
}
