//go:build race

package realtime

// raceBuild tells that the race detector watches. Its shadow memory is too large to be
// brought in at once.
const raceBuild = true
