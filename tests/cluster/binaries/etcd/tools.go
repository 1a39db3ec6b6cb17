//go:build tools

// Package tools names the command that is built from this module, so that its go.sum knows what it needs.
package tools

import _ "go.etcd.io/etcd/server/v3"
