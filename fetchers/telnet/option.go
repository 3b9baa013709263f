package telnet

import "strconv"

// Commands (RFC 854; EOR is of RFC 885). Those that are not here mean nothing to
// a client and are taken out of what is read.
const (
	cmdSE   = 240
	cmdSB   = 250
	cmdWILL = 251
	cmdWONT = 252
	cmdDO   = 253
	cmdDONT = 254
	cmdIAC  = 255
)

// Options that a terminal has a use for.
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

// An options is how far a negotiation has come: what is on, at our side and at
// the server's. We ask for nothing, and so of the states of RFC 1143 only NO and
// YES are ever reached.
type options struct {
	terminal      string // its type; "" without one
	width, height int    // 0 if unknown
	us, him       [256]bool
}

// answer returns what RFC 1143, section 7, has us say to a request, if anything.
// What changes nothing is not answered, which keeps two sides from answering
// each other for ever.
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

// wants reports whether the server may do an option.
func (o *options) wants(option byte) bool {
	return o.terminal != "" && (option == optEcho || option == optSGA || option == optBinary)
}

// has reports whether we can do an option. To echo is not for us.
func (o *options) has(option byte) bool {
	switch option {
	case optSGA, optBinary, optTTYPE:
		return o.terminal != ""
	case optNAWS:
		return o.terminal != "" && o.width > 0 && o.height > 0
	}
	return false
}

// terminalType returns a name as RFC 1091 has it: in capitals, of at most 40
// letters, digits and some marks. What is no such name is UNKNOWN.
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

// The names of commands and options are for the Trace.

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
