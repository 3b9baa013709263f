package ftp

import (
	"strconv"
	"testing"
)

// Texts that servers send in place of "(|||2121|)".
func TestExtendedPort(t *testing.T) {
	for text, want := range map[string]string{
		"Entering Extended Passive Mode (|||2121|)":  "2121",
		"Entering Extended Passive Mode (|||2121|).": "2121",
		"Entering Extended Passive Mode |||2121|":    "2121",
		"(!!!2121!)": "2121",
		"Entering Extended Passive Mode (,,,2121,)":   "2121",
		"Entering Extended Passive Mode (||| 2121 |)": "2121",
		"Entering Extended Passive Mode (|1||2121|)":  "2121",
		"(|1|10.0.0.1|2121|)":                         "2121",
		"(|||65535|)":                                 "65535",
		"(|||65536|)":                                 "",
		"(|||99999|)":                                 "",
		"(|||0|)":                                     "",
		"(|||-1|)":                                    "",
		"(|||+2|)":                                    "",
		"(|||2121)":                                   "",
		"(||||)":                                      "",
		")|||(":                                       "",
		"|||":                                         "",
		"ok":                                          "",
		"":                                            "",
		"(|||2121|2121|)":                             "2121",
		"(|||18446744073709551616|)":                  "",
		"Entering Extended Passive Mode (|||21 21|)": "",
	} {
		if got, ok := extendedPort(text); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, ok, want)
		}
	}
}

// Texts that servers send in place of "(h1,h2,h3,h4,p1,p2)".
func TestPassivePort(t *testing.T) {
	for text, want := range map[string]int{
		"Entering Passive Mode (127,0,0,1,8,73)":           2121,
		"Entering Passive Mode (127,0,0,1,8,73).":          2121,
		"Entering Passive Mode 127,0,0,1,8,73":             2121,
		"Entering Passive Mode. 127,0,0,1,8,73.":           2121,
		"=127,0,0,1,8,73":                                  2121,
		"Entering Passive Mode (127, 0, 0, 1, 8, 73)":      2121,
		"Entering Passive Mode (127.0.0.1,8,73)":           2121,
		"Entering Passive Mode (0,0,0,0,8,73)":             2121,
		"Entering Passive Mode on 1 port (127,0,0,1,8,73)": 2121,
		"ok":  -1,
		")x(": -1,
		"()":  -1,
		"Entering Passive Mode (300,-1,1,1,999,1)": -1,
		"Entering Passive Mode (1,2,3,4,256,1)":    -1,
		"Entering Passive Mode (256,2,3,4,5,6)":    -1,
		"Entering Passive Mode (1,2,3,4,5)":        -1,
		"Entering Passive Mode (1,2,3,4,5,6,7)":    -1,
		"Entering Passive Mode (1,2,3,4,0,0)":      0, // refused later
		"(1,2,3,4,5,99999999999999999999)":         -1,
	} {
		got, ok := passivePort(text)
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v, want %d", text, got, ok, want)
		}
	}
}

func FuzzPassive(f *testing.F) {
	for _, text := range []string{"(|||2121|)", "(127,0,0,1,8,73)", ")x(", "1,2,3,4,5,6", "|1|h|9|", "(300,-1,1,1,999,1)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if port, ok := extendedPort(text); ok {
			if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
				t.Errorf("%q: port %q", text, port)
			}
		}
		if port, ok := passivePort(text); ok && (port < 0 || port > 65535) {
			t.Errorf("%q: port %d", text, port)
		}
	})
}

// The directory in a reply to PWD (RFC 959, appendix II). Single quotes are no delimiters.
func TestQuoted(t *testing.T) {
	for text, want := range map[string]string{
		`"/" is the current directory`: "/",
		`"/home/joe"`:                  "/home/joe",
		`"/say ""hi""" is it`:          `/say "hi"`,
		`current is "/x"`:              "/x",
		`"DISK:[JOE]" is it`:           "DISK:[JOE]",
		`"`:                            "",
		`""`:                           "",
		`"/x`:                          "",
		`/x`:                           "",
		``:                             "",
	} {
		if got, ok := quoted(text); got != want || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", text, got, ok, want)
		}
	}
}
