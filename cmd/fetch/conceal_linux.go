package main

import (
	"os"
	"slices"
	"unsafe"
)

// conceal overwrites the arguments of the process with shown, in the memory that the list of
// processes shows. args are copies of the arguments. Go leaves the arguments where the kernel has
// put them: one behind the other, with a NUL between them. Where they are not so, conceal writes
// nothing.
func conceal(args, shown []string) {
	if !slices.Equal(os.Args[1:], args) {
		return // a test that runs this in its own process
	}
	args = os.Args[1:]
	memory := make([][]byte, len(args))
	next := uintptr(0) // where the next argument has to begin, or 0 if that is not known
	for i, arg := range args {
		if arg != "" { // an empty argument has no address
			at := unsafe.StringData(arg)
			if next != 0 && uintptr(unsafe.Pointer(at)) != next {
				return
			}
			next = uintptr(unsafe.Pointer(at))
			memory[i] = unsafe.Slice(at, len(arg))
		}
		if next != 0 {
			next += uintptr(len(arg)) + 1
		}
	}
	for i, m := range memory {
		if string(m) == shown[i] {
			continue
		}
		for at := copy(m, shown[i]); at < len(m); at++ {
			m[at] = ' '
		}
	}
}
