//go:build !unix

package fault_test

// plantedTrials need links, pipes and owners of files.
var plantedTrials []trial
