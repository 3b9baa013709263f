package gateway

// Statuses are the statuses of the classes, for tests.
var Statuses = statuses
