package ntlm

import (
	"encoding/binary"
	"slices"
)

// The parts of a CHALLENGE_MESSAGE (MS-NLMP, section 2.2.1.2): the places of two fields that
// refer to a part of the message, and of the flags.
const (
	targetName      = 12
	flags           = 20
	targetInfo      = 40
	challengeHead   = 48
	hasTargetInfo   = 0x00800000
	referenceOctets = 8
)

// lenient returns a challenge whose references can be followed. The name of the target is of no
// use to the client, and ntlm_fake_auth of Squid 5.7 has it at an offset of uninitialized memory.
// It repeats the flag of the client for information about the target, too, and sends none: its
// header is that of Windows NT 4, with the name where the reference should be. Such information is
// left out, as curl and others leave it out for these servers.
func lenient(challenge []byte) []byte {
	m := slices.Clone(challenge)
	if len(m) < challengeHead {
		m = append(m, make([]byte, challengeHead-len(m))...)
	}
	n, from := reference(m, targetName)
	within := n > 0 && from < challengeHead
	clear(m[targetName : targetName+referenceOctets])
	n, from = reference(m, targetInfo)
	if within || from+n > uint64(len(challenge)) || binary.LittleEndian.Uint32(m[flags:])&hasTargetInfo == 0 {
		clear(m[targetInfo : targetInfo+referenceOctets])
	}
	return m
}

// reference returns how many octets a field refers to, and where.
func reference(m []byte, field int) (n, from uint64) {
	return uint64(binary.LittleEndian.Uint16(m[field:])), uint64(binary.LittleEndian.Uint32(m[field+4:]))
}
