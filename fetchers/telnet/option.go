package telnet

import "strconv"

// Commands (RFC 854; EOR is from RFC 885). Other commands are ignored.
const (
	cmdSE   = 240
	cmdSB   = 250
	cmdWILL = 251
	cmdWONT = 252
	cmdDO   = 253
	cmdDONT = 254
	cmdIAC  = 255
)

// Options for a terminal.
const (
	optBinary = 0  // RFC 856
	optEcho   = 1  // RFC 857
	optSGA    = 3  // RFC 858
	optTTYPE  = 24 // RFC 1091
	optNAWS   = 31 // RFC 1073
)

const (
	ttypeIS   = 0
	ttypeSEND = 1
)

// An options is the state of a negotiation: the options that are on, at the client and at the
// server. The client requests nothing, so that only the states NO and YES of RFC 1143 occur.
type options struct {
	terminal      string // terminal type; "" without a terminal
	width, height int    // 0 if unknown
	us, him       [256]bool
}

// answer returns the answer to a request, if there is one (RFC 1143, section 7). A request that
// changes nothing gets no answer, which prevents endless loops.
func (o *options) answer(verb, option byte) (reply byte, ok bool) {
	switch verb {
	case cmdWILL:
		if o.him[option] {
			return 0, false
		}
		if o.him[option] = o.wants(option); o.him[option] {
			return cmdDO, true
		}
		return cmdDONT, true
	case cmdDO:
		if o.us[option] {
			return 0, false
		}
		if o.us[option] = o.has(option); o.us[option] {
			return cmdWILL, true
		}
		return cmdWONT, true
	case cmdWONT:
		on := o.him[option]
		o.him[option] = false
		return cmdDONT, on
	default: // DONT
		on := o.us[option]
		o.us[option] = false
		return cmdWONT, on
	}
}

// wants reports whether the client accepts an option of the server.
func (o *options) wants(option byte) bool {
	return o.terminal != "" && (option == optEcho || option == optSGA || option == optBinary)
}

// has reports whether the client supports an option. It never echoes.
func (o *options) has(option byte) bool {
	switch option {
	case optSGA, optBinary, optTTYPE:
		return o.terminal != ""
	case optNAWS:
		return o.terminal != "" && o.width > 0 && o.height > 0
	}
	return false
}

// terminalType returns a valid terminal type (RFC 1091): at most 40 capital letters, digits and
// some marks. Any other name becomes UNKNOWN.
func terminalType(name string) string {
	if name == "" || len(name) > 40 {
		return "UNKNOWN"
	}
	upper := []byte(name)
	for i, c := range upper {
		switch {
		case 'a' <= c && c <= 'z':
			upper[i] = c - 'a' + 'A'
		case 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '/', c == '.', c == '_', c == '+':
		default:
			return "UNKNOWN"
		}
	}
	return string(upper)
}

// The Trace shows the names of commands and options.

func verbName(verb byte) string {
	return [...]string{"WILL", "WONT", "DO", "DONT"}[verb-cmdWILL]
}

func optionName(option byte) string {
	names := [...]string{
		0: "BINARY", 1: "ECHO", 3: "SGA", 5: "STATUS", 6: "TM", 24: "TTYPE", 25: "EOR", 31: "NAWS", 32: "TSPEED",
		33: "LFLOW", 34: "LINEMODE", 35: "XDISPLOC", 36: "OLD-ENVIRON", 37: "AUTH", 38: "ENCRYPT", 39: "NEW-ENVIRON",
	}
	if int(option) < len(names) && names[option] != "" {
		return names[option]
	}
	return "option " + strconv.Itoa(int(option))
}
