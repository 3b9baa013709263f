//go:build !linux

package fault_test

// These trials mount file systems and stop processes as Linux does.
var diskTrials, signalTrials []trial
