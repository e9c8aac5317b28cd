// Command parley is the GitHub App and its tools.
package main

func main() {}
