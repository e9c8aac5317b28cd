package spec

// Set is a parsed specification: documents, items, links.
type Set struct {
	Files []File
	Items []Item
}
