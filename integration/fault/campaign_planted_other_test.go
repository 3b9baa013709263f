//go:build !unix

package fault_test

// plantedTrials are about links, pipes and owners.
var plantedTrials []trial
