//go:build !race

package realtime

// raceBuild tells that the race detector watches.
const raceBuild = false
