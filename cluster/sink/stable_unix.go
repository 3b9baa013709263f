//go:build unix && !linux

package sink

// sync writes the names in the folder to stable storage.
func (f *folder) sync() error { return f.file.Sync() }
