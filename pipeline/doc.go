// Package pipeline is the domain: sessions, tasks, their graph, the state
// tables, the commands, the ports to the world and every sentence Parley says.
// Advance decides everything; it is pure. The loops beside it carry its
// effects out. Standard library only.
package pipeline
